set -e
mount -t overlay o -o lowerdir=/tmp/ov/d:/tmp/ov/empty,xino=off /tmp/ov/m || mount -t overlay o -o lowerdir=/tmp/ov/d:/tmp/ov/empty /tmp/ov/m
ls -la /tmp/ov/m; cat m/f
python3 - <<'P'
import socket,os
for p in ('d','m'):
    s=socket.socket(socket.AF_UNIX)
    try: s.connect(f'/tmp/ov/{p}/sock'); print(p,'connected')
    except Exception as e: print(p,e)
    try: os.open(f'/tmp/ov/{p}/fifo',os.O_WRONLY|os.O_NONBLOCK); print('fifo')
    except Exception as e: print(e)
P
mkdir /tmp/ov/u; mount -t overlay o -o lowerdir=/usr:/tmp/ov/empty /tmp/ov/u && ls u | head -3
echo 2000 > /proc/sys/user/max_user_namespaces; 

#!/usr/bin/env python3
"""Makes binary files on which tools of Debian fail, a test for each, and a minimum made by hand.

    cases.py DIR [CASE...]        DIR/CASE/{input.bin,test.sh,hand.bin}

`sh test.sh FILE` exits with 0 when the tool fails on FILE in the way of the case. Needed: pngcheck, unzip, binutils,
libtiff-tools, protobuf-compiler, sox, libjpeg-turbo-progs, wabt, tcpdump, libxml2-utils, ffmpeg, gifsicle,
default-jdk-headless, sqlite3, fontconfig, fonts-dejavu-core, flac.
"""

import io
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

RANDOM = random.Random(20)


def noise(count: int) -> bytes:
    return RANDOM.randbytes(count)


def words(count: int) -> str:
    return " ".join(RANDOM.choice(["lorem", "ipsum", "dolor", "amet", "elit"]) for _ in range(count))


def run(*command: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True).stdout


# PNG


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, rows: list[bytes], *, pieces: int = 1, extra: bytes = b"", level: int = 9, end: bytes = b"") -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0))
    stream = zlib.compress(b"".join(rows), level)
    size = -(-len(stream) // pieces)
    image = b"".join(chunk(b"IDAT", stream[at : at + size]) for at in range(0, len(stream), size))
    return b"\x89PNG\r\n\x1a\n" + header + extra + image + end


def png_case() -> tuple[bytes, str, bytes]:
    rows = []
    for y in range(90):
        pixels = bytes((x * 3 + y * 7 + c * 40 + RANDOM.randrange(9)) % 256 for x in range(110) for c in range(3))
        rows.append(bytes([9 if y == 61 else y % 5]) + pixels)
    extra = chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1))
    extra += chunk(b"tEXt", b"Comment\0" + words(200).encode()) + chunk(b"tIME", b"\x07\xea\1\1\0\0\0")
    host = png(110, rows, pieces=5, extra=extra, end=chunk(b"IEND", b""))
    hand = png(1, [b"\x09\0\0\0"])
    test = 'pngcheck -v "$1" 2>&1 | grep -q "invalid row-filter type (9)"'
    return host, test, hand


# ZIP


def archive(files: dict[str, bytes], method: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as out:
        for name, contents in files.items():
            out.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), contents, method)
    return data.getvalue()


def docx_case() -> tuple[bytes, str, bytes]:
    body = "".join(
        f'<w:p w:id="{n}"><w:r><w:t>{words(30)}</w:t></w:r>{"<v:rect/>" if n == 137 else ""}</w:p>' for n in range(300)
    )
    document = f'<?xml version="1.0"?>\n<w:document xmlns:w="urn:w"><w:body>{body}</w:body></w:document>'
    files = {f"word/media/image{n}.bin": noise(3000) for n in range(20)}
    files |= {f"word/theme{n}.xml": f"<t>{words(300)}</t>".encode() for n in range(20)}
    files["word/document.xml"] = document.encode()
    host = archive(files, zipfile.ZIP_DEFLATED)
    hand = archive({"word/document.xml": b"<v:r/>"}, zipfile.ZIP_STORED)
    test = 'unzip -p "$1" word/document.xml 2>/dev/null | xmllint --noout - 2>&1 | grep -q "Namespace prefix v on r"'
    return host, test, hand


def zip_case() -> tuple[bytes, str, bytes]:
    files = {f"src/file{n}.txt": words(400).encode() + noise(200) for n in range(80)}
    wrong = archive(files, zipfile.ZIP_DEFLATED)
    # The checksum of one file, in its entry and in the directory.
    crc = struct.pack("<I", zlib.crc32(files["src/file51.txt"]))
    host = wrong.replace(crc, b"\1\2\3\4")
    hand = archive({"a": b"a"}, zipfile.ZIP_STORED).replace(struct.pack("<I", zlib.crc32(b"a")), b"\1\2\3\4")
    test = 'unzip -t "$1" 2>&1 | grep -q "bad CRC.*should be 04030201"'
    return host, test, hand


# ELF


def elf_case() -> tuple[bytes, str, bytes]:
    source = "".join(f"int f{n}(int x) {{ return x * {n} + {n % 7}; }}\n" for n in range(400))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(source)
        run("gcc", "-c", "-g", "-O1", "-ffunction-sections", str(path), "-o", f"{folder}/a.o")
        data = bytearray((Path(folder) / "a.o").read_bytes())
    offset, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    tables = [at for at in range(offset, offset + 64 * count, 64) if struct.unpack_from("<I", data, at + 4)[0] == 2]
    struct.pack_into("<Q", data, tables[0] + 56, 5)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 2, 0)
    section = struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, 0, 24, 1, 0, 0, 5)
    hand = header + bytes(64) + section
    return bytes(data), 'readelf -S -W "$1" 2>&1 | grep -q "has invalid sh_entsize"', hand


# COFF


def coff_case() -> tuple[bytes, str, bytes]:
    source = "".join(f"extern int v{n};\nint a_long_name_{n}(int x) {{ return x * {n} + v{n}; }}\n" for n in range(200))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(source)
        run("gcc", "-c", "-O1", "-ffunction-sections", "-fno-asynchronous-unwind-tables", str(path), "-o", f"{folder}/a.o")
        run("objcopy", "-O", "pe-x86-64", f"{folder}/a.o", f"{folder}/a.obj")
        host = (Path(folder) / "a.obj").read_bytes()
    name = b"a_long_name_137\0"
    symbol = struct.pack("<IIIhHBB", 0, 4, 0, 0, 0, 2, 0)
    hand = struct.pack("<HHIIIHH", 0x8664, 0, 0, 20, 1, 0, 0) + symbol + struct.pack("<I", 4 + len(name)) + name
    return host, 'objdump -t "$1" 2>/dev/null | grep -q "a_long_name_137$"', hand


# TIFF


def tiff_case() -> tuple[bytes, str, bytes]:
    strips = [noise(1500) for _ in range(40)]
    data = bytearray(b"II*\0" + bytes(4))
    offsets = []
    for strip in strips:
        offsets.append(len(data))
        data += strip
    description = words(100).encode() + b"\0"
    at = {}
    for name, values in [
        ("text", description),
        ("offsets", struct.pack("<40I", *offsets)),
        ("lengths", struct.pack("<40I", *map(len, strips))),
    ]:
        data += bytes(len(data) % 2)
        at[name] = len(data)
        data += values
    data += bytes(len(data) % 2)
    entries = [
        (256, 3, 1, 100), (257, 3, 1, 600), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
        (270, 2, len(description), at["text"]), (273, 4, 40, at["offsets"]), (277, 3, 1, 1),
        (278, 3, 1, 15), (279, 4, 40, at["lengths"]), (65123, 4, 1, 77),
    ]
    data[4:8] = struct.pack("<I", len(data))
    data += struct.pack("<H", len(entries))
    for entry in entries:
        data += struct.pack("<HHII", *entry)
    data += bytes(4)
    hand = b"II*\0" + struct.pack("<IHHHII", 8, 1, 65123, 4, 1, 77) + bytes(4)
    return bytes(data), 'tiffinfo "$1" 2>&1 | grep -q "Unknown field with tag 65123"', hand


# Protocol buffers


def protobuf_case() -> tuple[bytes, str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number in range(60):
            fields = "".join(f"  string name_{n}_{RANDOM.randrange(99)} = {n + 1};\n" for n in range(20))
            text = f'syntax = "proto3";\npackage p{number};\nmessage M{number} {{\n{fields}}}\n'
            if number == 41:
                text = text.replace("message", "message Lost { int32 x = 1; }\nmessage")
                text = text.replace("string name_7_", "Lost lost_")
            names.append(f"f{number}.proto")
            (Path(folder) / names[-1]).write_text(text)
        run("protoc", f"-I{folder}", "-o", f"{folder}/set", *names)
        host = (Path(folder) / "set").read_bytes()
    host = host.replace(b"\n\x04Lost", b"\n\x04Loss")

    def field(number: int, value: bytes) -> bytes:
        return bytes([number << 3 | 2, len(value)]) + value

    member = field(1, b"f") + b"\x18\1\x20\1" + field(6, b"Lost")
    hand = field(1, field(1, b"f41.proto") + field(4, field(1, b"M") + field(2, member)))
    test = 'protoc --descriptor_set_in="$1" --decode=M f41.proto 2>&1 </dev/null | grep -q \'Lost" is not defined\''
    return host, test, hand


# RIFF


def riff_chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def wav_case() -> tuple[bytes, str, bytes]:
    form = struct.pack("<HHIIHH", 1, 2, 44100, 44100 * 6, 6, 24)
    wrong = struct.pack("<HHIIHH", 0x77, 2, 44100, 44100 * 6, 6, 24)
    info = b"INFO" + b"".join(riff_chunk(k, words(20).encode()) for k in [b"INAM", b"IART", b"ICMT"])
    data = riff_chunk(b"LIST", info) + riff_chunk(b"JUNK", noise(501)) + riff_chunk(b"fmt ", wrong)
    data += riff_chunk(b"data", noise(300_000)) + riff_chunk(b"cue ", noise(28))
    host = riff_chunk(b"RIFF", b"WAVE" + data)
    assert form != wrong
    hand = riff_chunk(b"RIFF", b"WAVE" + riff_chunk(b"fmt ", struct.pack("<HHIIHH", 0x77, 0, 0, 0, 0, 0)))
    return host, 'soxi "$1" 2>&1 | grep -q "Unknown WAV file encoding (type 77)"', hand


# WebAssembly


def wasm_case() -> tuple[bytes, str, bytes]:
    lines = ["(module", "(memory 1)"]
    for n in range(700):
        broken = "drop i64.const 1" if n == 433 else "i32.add"
        lines.append(f"(func (export \"f{n}\") (param i32 i32) (result i32) local.get 0 i32.const {n * 37} i32.mul local.get 1 {broken})")
    for n in range(40):
        lines.append(f'(data (i32.const {n * 99}) "{words(10)}")')
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.wat").write_text("\n".join(lines) + ")")
        run("wat2wasm", "--no-check", f"{folder}/a.wat", "-o", f"{folder}/a.wasm")
        host = (Path(folder) / "a.wasm").read_bytes()
        text = "(module (func (result i32) i64.const 0))"
        (Path(folder) / "b.wat").write_text(text)
        run("wat2wasm", "--no-check", f"{folder}/b.wat", "-o", f"{folder}/b.wasm")
        hand = (Path(folder) / "b.wasm").read_bytes()
    test = 'wasm-validate "$1" 2>&1 | grep -q "expected \\[i32\\] but got \\[.*i64\\]"'
    return host, test, hand


# pcap: no reader of its own


def pcap_case() -> tuple[bytes, str, bytes]:
    def packet(payload: bytes) -> bytes:
        microseconds = RANDOM.randrange(1_000_000)
        return struct.pack("<IIII", 1_600_000_000, microseconds, len(payload), len(payload)) + payload

    def ip(length: int, data: bytes) -> bytes:
        return b"\x45\0" + struct.pack(">H", length) + noise(4) + b"\x40\x11\0\0" + b"\x7f\0\0\1" * 2 + data

    header = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    good = [packet(ip(28 + size, struct.pack(">HHHH", 9, 9, 8 + size, 0) + noise(size))) for size in range(40, 440)]
    bad = packet(ip(19, noise(60)))
    host = header + b"".join(good[:300]) + bad + b"".join(good[300:])
    hand = header + packet(b"\x45\0\0\x13" + bytes(16))
    return host, 'tcpdump -nr "$1" 2>/dev/null | grep -q "bad-len 19"', hand


def pcapng_case() -> tuple[bytes, str, bytes]:
    def block(kind: int, body: bytes) -> bytes:
        length = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + length + body + length

    def packet(data: bytes) -> bytes:
        lengths = struct.pack("<IIIII", 0, 370_000, RANDOM.randrange(1 << 30), len(data), len(data))
        return block(6, lengths + data + bytes(-len(data) % 4))

    def ip(length: int, data: bytes) -> bytes:
        return b"\x45\0" + struct.pack(">H", length) + noise(4) + b"\x40\x11\0\0" + b"\x7f\0\0\1" * 2 + data

    first = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 101, 0, 65535))
    good = [packet(ip(28 + size, struct.pack(">HHHH", 9, 9, 8 + size, 0) + noise(size))) for size in range(40, 440)]
    host = first + interface + b"".join(good[:300]) + packet(ip(19, noise(60))) + b"".join(good[300:])
    hand = first + interface + packet(b"\x45\0\0\x13" + bytes(16))
    return host, 'tcpdump -nr "$1" 2>/dev/null | grep -q "bad-len 19"', hand


# JPEG


def jpeg_case() -> tuple[bytes, str, bytes]:
    pixels = bytes((x * y + c * 50 + RANDOM.randrange(60)) % 256 for y in range(300) for x in range(300) for c in range(3))
    data = run("cjpeg", "-quality", "90", stdin=b"P6\n300 300\n255\n" + pixels)
    at = data.index(b"\xff\xc0")
    # The second component uses a table that is not there.
    data = data[: at + 15] + b"\3" + data[at + 16 :]
    data = data[:2] + b"\xff\xfe" + struct.pack(">H", 402) + noise(400) + data[2:]
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 1, 1, 1) + b"\1\x11\3"
    hand = b"\xff\xd8" + frame + b"\xff\xda\0\x08\1\1\0\0\0\0"
    return data, 'djpeg "$1" 2>&1 >/dev/null | grep -q "Quantization table 0x03 was not defined"', hand


# ar


def elf(sections: list[bytes], data: bytes, names: int) -> bytes:
    start = 64 + len(data)
    header = struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, start, 0, 64, 0, 0, 64, len(sections), names)
    return b"\x7fELF\2\1\1" + bytes(9) + header + data + b"".join(sections)


def ar_case() -> tuple[bytes, str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for n in range(40):
            path = f"{folder}/a_module_with_number_{n}"
            Path(f"{path}.c").write_text(f"int g{n};\nint f{n}(int x) {{ return x * {n} + g{n}; }}\n")
            run("gcc", "-c", "-g", f"{path}.c", "-o", f"{path}.o")
            objects.append(f"{path}.o")
        run("ar", "rcsD", f"{folder}/all.a", *objects)
        host = (Path(folder) / "all.a").read_bytes()
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 0)
    code = struct.pack("<IIQQQQIIQQ", 0, 1, 6, 0, 64, 0, 0, 0, 0, 0)
    table = struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, 64, 48, 3, 1, 8, 24)
    names = struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 112, 5, 0, 0, 0, 0)
    data = elf([bytes(64), code, table, names], symbols + b"\0f27\0", 3)
    hand = f"!<arch>\n{'a/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data
    return host, 'nm "$1" 2>/dev/null | grep -q " T f27$"', hand


# Sound and video


def video(folder: str, name: str, *options: str) -> bytes:
    # Without the version of ffmpeg, and with the same bytes each time.
    exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"]
    sources = ["-f", "lavfi", "-i", "testsrc=d=2:s=160x120", "-f", "lavfi", "-i", "sine=d=2"]
    run("ffmpeg", "-v", "error", "-y", *sources, *options, *exact, f"{folder}/{name}")
    return (Path(folder) / name).read_bytes()


def mp4_case() -> tuple[bytes, str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        host = video(folder, "a.mp4", "-c:v", "mpeg4", "-c:a", "aac")

    def box(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data) + 8) + kind + data

    entry = box(b"mp4a", bytes(6) + b"\0\1" + bytes(8) + struct.pack(">HHHHI", 2, 16, 0, 0, 44100 << 16))
    table = box(b"minf", box(b"stbl", box(b"stsd", struct.pack(">II", 0, 1) + entry)))
    track = box(b"trak", box(b"mdia", box(b"hdlr", bytes(8) + b"soun" + bytes(13)) + table))
    hand = box(b"moov", track)
    return host, 'ffprobe -v error -show_streams "$1" 2>/dev/null | grep -q codec_name=aac', hand


def mkv_case() -> tuple[bytes, str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        host = video(folder, "a.mkv", "-c:v", "mpeg4", "-c:a", "flac")

    def element(kind: bytes, data: bytes) -> bytes:
        return kind + bytes([0x80 | len(data)]) + data

    entry = element(b"\xd7", b"\1") + element(b"\x83", b"\2") + element(b"\x86", b"A_FLAC")
    cluster = element(b"\x1f\x43\xb6\x75", element(b"\xe7", b"\0"))
    segment = element(b"\x16\x54\xae\x6b", element(b"\xae", entry)) + cluster
    header = element(b"\x1a\x45\xdf\xa3", element(b"\x42\x82", b"webm"))
    hand = header + element(b"\x18\x53\x80\x67", segment)
    return host, 'ffprobe -v error -show_streams "$1" 2>/dev/null | grep -q codec_type=audio', hand


def flac_case() -> tuple[bytes, str, bytes]:
    sound = b"".join(struct.pack("<h", (n * n // 50 + RANDOM.randrange(200)) % 20000) for n in range(60000))
    raw = ["--force-raw-format", "--endian=little", "--sign=signed", "--channels=1", "--bps=16", "--sample-rate=44100"]
    host = bytearray(run("flac", "-s", "-c", *raw, "-", stdin=sound))
    # The checksum of the sound is that of another one.
    host[26:42] = bytes(range(1, 17))
    # One frame of one sample, which is 0.
    header = b"\xff\xf8\x69\x08\0\0"
    crc8 = crc(header, 8, 7)
    frame = header + bytes([crc8]) + b"\0\0\0"
    frame += struct.pack(">H", crc(frame, 16, 0x8005))
    info = struct.pack(">HH", 16, 16) + bytes(6) + bytes([0x0A, 0xC4, 0x40, 0xF0, 0, 0, 0, 0])
    hand = b"fLaC" + b"\x80\0\0\x22" + info + bytes(range(1, 17)) + frame
    return bytes(host), 'flac -t "$1" 2>&1 | grep -q "MD5 signature mismatch"', hand


def crc(data: bytes, bits: int, polynomial: int) -> int:
    value = 0
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = value << 1 ^ (polynomial if value >> (bits - 1) & 1 else 0)
        value &= (1 << bits) - 1
    return value


# GIF


def gif_case() -> tuple[bytes, str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=d=1:r=8:s=160x120", f"{folder}/a.gif")
        host = (Path(folder) / "a.gif").read_bytes()
    image = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\2\0"
    hand = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0, 0, 0) + image * 6 + b";"
    return host, 'gifsicle --info "$1" 2>/dev/null | grep -q "image #5"', hand


# Java


def class_case() -> tuple[bytes, str, bytes]:
    methods = "".join(
        f"    public {'static ' if n == 71 else ''}long m{n}(int x, String s) "
        f"{{ long y = x * {n}L; for (int i = 0; i < x; i++) y += s.length() + i; return y; }}\n"
        for n in range(120)
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Main.java").write_text(f"public class Main {{\n{methods}}}\n")
        run("javac", "-g", f"{folder}/Main.java")
        host = (Path(folder) / "Main.class").read_bytes()

    def text(value: bytes) -> bytes:
        return b"\1" + struct.pack(">H", len(value)) + value

    constants = text(b"A") + b"\7\0\1" + text(b"a") + text(b"()V")
    method = struct.pack(">HHHH", 8, 3, 4, 0)
    hand = b"\xca\xfe\xba\xbe\0\0\0\x34" + struct.pack(">H", 5) + constants
    hand += struct.pack(">HHHHHH", 1, 2, 0, 0, 0, 1) + method + b"\0\0"
    return host, 'cp "$1" A.class; javap -p A.class 2>/dev/null | grep -q "static.*("', hand


# SQLite


def sqlite_case() -> tuple[bytes, str, bytes]:
    def database(page_bytes: int, statements: list[str]) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.db"
            connection = sqlite3.connect(path)
            connection.execute(f"pragma page_size={page_bytes}")
            for statement in statements:
                connection.execute(statement)
            connection.commit()
            connection.close()
            return Path(path).read_bytes()

    statements = ["create table a(x integer primary key, y text)", "create index i on a(y)", "create table b(p, q)"]
    for n in range(1500):
        statements.append(f"insert into a values({n}, '{words(8)}')")
        statements.append(f"insert into b values({n * 7}, {'x' if n == 971 else n * 1.5})".replace("x)", "'needle')"))
    statements.append("delete from a where x % 7 = 0 or x > 900")
    host = database(4096, statements)
    hand = database(512, ["create table b(q)", "insert into b values('needle')"])
    return host, 'sqlite3 -readonly "$1" "select q from b" 2>/dev/null | grep -q needle', hand


# Fonts


def font_case() -> tuple[bytes, str, bytes]:
    host = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf").read_bytes()
    family = "DejaVu".encode("utf-16-be")
    names = struct.pack(">HHH", 0, 1, 18) + struct.pack(">HHHHHH", 3, 1, 0x409, 1, len(family), 0) + family
    head = struct.pack(">IIIIHH", 0x10000, 0, 0, 0x5F0F3CF5, 0, 1000) + bytes(34)
    metrics = struct.pack(">I", 0x10000) + bytes(30) + struct.pack(">H", 1)
    tables = [(b"head", head), (b"hhea", metrics), (b"hmtx", bytes(4)), (b"loca", bytes(4)), (b"name", names)]
    at = 12 + 16 * len(tables)
    hand = b"\0\1\0\0" + struct.pack(">HHHH", len(tables), 64, 2, 16)
    data = b""
    for tag, table in tables:
        hand += tag + struct.pack(">III", 0, at + len(data), len(table))
        data += table + bytes(-len(table) % 4)
    return host, 'fc-scan "$1" 2>/dev/null | grep -q "family: .DejaVu"', hand + data


CASES = {
    "ar-nm": ar_case, "class-javap": class_case, "coff-objdump": coff_case, "flac-flac": flac_case, "font-fc-scan": font_case,
    "gif-gifsicle": gif_case, "mkv-ffprobe": mkv_case, "mp4-ffprobe": mp4_case, "pcapng-tcpdump": pcapng_case, "sqlite-sqlite3": sqlite_case,
    "docx-xmllint": docx_case, "elf-readelf": elf_case, "jpeg-djpeg": jpeg_case, "pcap-tcpdump": pcap_case,
    "png-pngcheck": png_case, "protobuf-protoc": protobuf_case, "tiff-tiffinfo": tiff_case, "wasm-validate": wasm_case,
    "wav-soxi": wav_case, "zip-unzip": zip_case,
}


def main() -> None:
    root = Path(sys.argv[1])
    for name, make in CASES.items():
        if name not in sys.argv[2:] and sys.argv[2:]:
            continue
        RANDOM.seed(name)
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        host, test, hand = make()
        (folder / "input.bin").write_bytes(host)
        (folder / "hand.bin").write_bytes(hand)
        (folder / "test.sh").write_text(f"#!/bin/sh\n{test}\n")
        (folder / "test.sh").chmod(0o755)
        fails = [subprocess.run(["sh", folder / "test.sh", folder / it]).returncode == 0 for it in ["input.bin", "hand.bin"]]
        print(f"{name}: {len(host)} bytes, by hand {len(hand)}, fails {fails}", flush=True)


main()

#!/usr/bin/env python3
"""Makes binary files on which tools of Debian fail, a test for each, and a minimum made by hand.

    cases.py DIR [CASE...]        DIR/CASE/{input.bin,test.sh,hand.bin}

`sh test.sh FILE` exits with 0 when the tool fails on FILE in the way of the case. Needed: pngcheck, unzip, binutils,
libtiff-tools, protobuf-compiler, sox, libjpeg-turbo-progs, wabt, tcpdump, libxml2-utils.
"""

import io
import random
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


CASES = {
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

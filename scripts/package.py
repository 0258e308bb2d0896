#!/usr/bin/env python3
"""usage: scripts/package.py PROGRAM ARCHITECTURE VERSION FOLDER     (amd64 or arm64; VERSION as git describe says it)

Packs a program that needs no shared library into a Python wheel and, where there is dpkg-deb, a Debian package. The same
program gives the same bytes: their times are those of SOURCE_DATE_EPOCH. Needs no network.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

HOME = "https://github.com/smux-cuda/smux"
SUMMARY = "Rewrite CUDA kernels so that shared memory stops limiting them, and check them without a GPU"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def number(described):
    """The version of a package: of v1.2.3 it is 1.2.3, and of 4 commits later 1.2.3+4.gHASH."""
    if m := re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:-(\d+)-g([0-9a-f]+))?", described):
        return m[1] + (f"+{m[2]}.g{m[3]}" if m[2] else "")
    if re.fullmatch(r"[0-9a-f]+", described):
        return f"0+g{described}"
    sys.exit(f"package: {described!r} is no version that git describe prints")


def wheel(program, machine, version, folder):
    """Writes a wheel whose one script is the program, for glibc and musl."""
    tag = f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    info = f"smux-{version}.dist-info"
    files = {
        f"smux-{version}.data/scripts/smux": program,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: smux\nVersion: {version}\nSummary: {SUMMARY}\nHome-page: {HOME}\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: smux\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = folder / f"smux-{version}-{tag}.whl"
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # zip knows nothing before 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100755 if name.endswith("/smux") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, text)
    return out


def debian(program, architecture, version, folder):
    """Writes a Debian package."""
    out = folder / f"smux_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as tree:
        binary = Path(tree, "usr/bin/smux")
        control = Path(tree, "DEBIAN/control")
        for path in (binary, control):
            path.parent.mkdir(parents=True)
        Path(tree).chmod(0o755)
        binary.write_bytes(program)
        binary.chmod(0o755)
        control.write_text(
            f"Package: smux\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: smux <{HOME}>\nSection: devel\nPriority: optional\n"
            f"Installed-Size: {len(program) // 1024 + 1}\nSuggests: g++, nvidia-cuda-toolkit\nHomepage: {HOME}\nDescription: {SUMMARY}\n"
        )
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, out], check=True, stdout=subprocess.DEVNULL)
    return out


def main():
    if len(sys.argv) != 5 or sys.argv[2] not in MACHINES:
        sys.exit(__doc__)
    program, architecture, version, folder = Path(sys.argv[1]).read_bytes(), sys.argv[2], number(sys.argv[3]), Path(sys.argv[4])
    print(f"package: {wheel(program, MACHINES[architecture], version, folder)}")
    if shutil.which("dpkg-deb"):
        print(f"package: {debian(program, architecture, version, folder)}")
    else:
        print("package: there is no dpkg-deb, so no Debian package was made")


main()

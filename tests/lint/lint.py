"""What the lint tests share."""
import pathlib
import subprocess
import sys

SKIPPED = 77  # ctest's SKIP_RETURN_CODE for these tests


def require_version_14(tool):
    """Another release formats and warns differently: skip, and say so, rather than guess."""
    try:
        version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        version = "nothing"
    if "version 14." not in version:
        print(f"skipped: expected {tool} of LLVM 14, got {version.strip()}")
        sys.exit(SKIPPED)
    return version


# needs: git
def own_files(root):
    """All files that git tracks or would track; without git, all outside build/ and dot folders."""
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                         cwd=root, capture_output=True, text=True) if _has_git(root) else None
    if git and git.returncode == 0:
        names = {pathlib.Path(name) for name in git.stdout.split("\0") if name}
        return sorted(name for name in names if (root / name).is_file())
    names = (f.relative_to(root) for f in root.rglob("*") if f.is_file())
    return sorted(n for n in names if n.parts[0] != "build" and not n.parts[0].startswith("."))


def _has_git(root):
    try:
        return subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False

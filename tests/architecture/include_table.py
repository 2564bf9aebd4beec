"""Compares the #includes under src/ with the table in ARCHITECTURE.md, and the sizes of files with the house limit.

Without arguments it checks this repository; `faults(repository)` is what the tests call.
"""

import pathlib
import re
import sys

MAX_LINES = 500
CONTRACT = {"engine.pb.h", "engine.grpc.pb.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
TABLE = re.compile(r"<!-- include-table -->(.*?)<!-- /include-table -->", re.DOTALL)


class Row:
    def __init__(self, allowed, libraries):
        self.allowed = allowed
        self.libraries = libraries


def read_table(text):
    """The rows by module. A table that cannot be read is a ValueError."""
    table = TABLE.search(text)
    if not table:
        raise ValueError("ARCHITECTURE.md has no include table")
    rows = {}
    for line in table.group(1).strip().splitlines()[2:]:
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip().strip("|").split("|")]
        if len(cells) != 3 or len(cells[0]) != 1:
            raise ValueError(f"not a row of the include table: {line}")
        if cells[0][0] in rows:
            raise ValueError(f"two rows for {cells[0][0]}")
        rows[cells[0][0]] = Row(set(cells[1]), set(cells[2]))
    return rows


def module_of(path, rows):
    """The most specific row that `path`, relative to src/, belongs to; None when there is none."""
    for folder in path.parents:
        if folder.as_posix() in rows:
            return folder.as_posix()
    return None


def include_fault(include, module, rows, source):
    """What is wrong with `module` including `include`, or None."""
    row = rows[module]
    owners = [name for name, other in rows.items() if any(include.startswith(prefix) for prefix in other.libraries)]
    if owners and module not in owners:
        return f"only {', '.join(owners)} may include it"
    if include in CONTRACT:
        return None if "contract" in row.allowed else f"{module} may not see the contract"
    if not (source / include).is_file():
        # A path that begins like ours and leads nowhere: another build would find something else, or nothing.
        return "there is no such file" if include.split("/")[0] in {name.split("/")[0] for name in rows} else None
    target = module_of(pathlib.PurePosixPath(include), rows)
    if target == module or target in row.allowed or include in row.allowed:
        return None
    return f"{module} may not include {target}"


def faults(repository):
    """Every fault as `file: what is wrong`, in the order of the files."""
    repository = pathlib.Path(repository)
    source = repository / "src"
    rows = read_table((repository / "ARCHITECTURE.md").read_text())
    found = []
    for name, row in rows.items():
        if not (source / name).is_dir():
            found.append(f"ARCHITECTURE.md: there is no folder src/{name}")
        for allowed in sorted(row.allowed - {"contract"}):
            if allowed not in rows and not (source / allowed).is_file():
                found.append(f"ARCHITECTURE.md: {name} may include {allowed}, which is neither a row nor a file")
        if name.startswith("gateway") and any(allowed.startswith("worker") for allowed in row.allowed):
            found.append(f"ARCHITECTURE.md: {name} may include worker/: gateway and workers share the contract only")
        if name.startswith("worker") and any(allowed.startswith("gateway") for allowed in row.allowed):
            found.append(f"ARCHITECTURE.md: {name} may include gateway/: gateway and workers share the contract only")
    for file in sorted(source.rglob("*.[ch]pp")):
        text = file.read_text()
        path = pathlib.PurePosixPath(file.relative_to(source).as_posix())
        lines = text.count("\n")
        if lines > MAX_LINES:
            found.append(f"src/{path}: {lines} lines: which second subject moved in?")
        module = module_of(path, rows)
        if module is None:
            found.append(f"src/{path}: its folder has no row in ARCHITECTURE.md")
            continue
        for include in INCLUDE.findall(text):
            problem = include_fault(include, module, rows, source)
            if problem:
                found.append(f"src/{path}: includes {include}: {problem}")
    return found


if __name__ == "__main__":
    all_faults = faults(pathlib.Path(__file__).resolve().parents[2])
    print("\n".join(all_faults) or "the includes are as the table says")
    sys.exit(1 if all_faults else 0)

"""The checker finds what it is for; CTest runs it on the repository itself beside this."""

import pathlib
import tempfile
import unittest

from include_table import faults

TABLE = """
<!-- include-table -->
| Module | May include | Libraries of its own |
|---|---|---|
| `base` | | |
| `http` | `base` | `boost/beast/` |
| `gateway/dispatch` | `base`, `http/message.hpp`, `contract` | |
| `gateway` | `base`, `http`, `gateway/dispatch` | |
| `worker/llama` | `base` | `llama.h` |
<!-- /include-table -->
"""


class IncludeTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "ARCHITECTURE.md").write_text(TABLE)
        for file in ("base/a.hpp", "http/message.hpp", "http/server.hpp", "gateway/dispatch/d.hpp", "worker/llama/l.hpp"):
            self.write(file, "")

    def write(self, file, text):
        path = self.root / "src" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assert_fault(self, file, include, words):
        self.write(file, f"#pragma once\n\n  #  include <{include}>\n")
        found = faults(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn(file, found[0])
        self.assertIn(words, found[0])

    def test_allows_what_the_table_allows(self):
        self.write("gateway/main.cpp", '#include "http/server.hpp"\n#include "gateway/dispatch/d.hpp"\n#include <vector>\n')
        self.write("gateway/dispatch/d.cpp", '#include "http/message.hpp"\n#include "engine.pb.h"\n')
        self.write("http/server.cpp", "#include <boost/beast/http.hpp>\n#include <boost/json/value.hpp>\n")
        self.assertEqual(faults(self.root), [])

    def test_finds_a_dependency_that_points_up(self):
        self.assert_fault("base/b.hpp", "http/message.hpp", "base may not include http")

    def test_finds_a_file_beside_the_one_that_is_allowed(self):
        self.assert_fault("gateway/dispatch/d.cpp", "http/server.hpp", "gateway/dispatch may not include http")

    def test_finds_a_library_outside_its_home(self):
        self.assert_fault("gateway/main.cpp", "boost/beast/core.hpp", "only http may include it")
        self.write("gateway/main.cpp", "")
        self.assert_fault("base/b.cpp", "llama.h", "only worker/llama may include it")

    def test_finds_the_contract_where_it_does_not_belong(self):
        self.assert_fault("base/b.cpp", "engine.pb.h", "may not see the contract")

    def test_finds_the_gateway_in_a_worker(self):
        self.assert_fault("worker/llama/l.cpp", "gateway/dispatch/d.hpp", "may not include gateway/dispatch")

    def test_finds_a_table_that_joins_gateway_and_worker(self):
        (self.root / "ARCHITECTURE.md").write_text(TABLE.replace("`gateway/dispatch` | |", "`worker/llama` | |"))
        self.assertIn("gateway and workers share the contract only", faults(self.root)[0])

    def test_finds_folders_without_a_row_and_rows_without_a_folder(self):
        self.write("other/o.hpp", "")
        self.assertEqual(faults(self.root), ["src/other/o.hpp: its folder has no row in ARCHITECTURE.md"])
        (self.root / "ARCHITECTURE.md").write_text(TABLE.replace("`base` | | |", "`base` | | |\n| `other` | `gone` | |\n| `gone2` | | |"))
        self.assertEqual(len(faults(self.root)), 2)

    def test_finds_a_path_that_leads_nowhere(self):
        self.assert_fault("http/h.cpp", "base/gone.hpp", "there is no such file")

    def test_finds_a_file_that_grew_too_long(self):
        self.write("base/long.cpp", "\n" * 501)
        self.assertIn("501 lines", faults(self.root)[0])

    def test_refuses_a_table_it_cannot_read(self):
        for text in ("no table", TABLE.replace("`base` | | |", "`base` | |"), TABLE.replace("`worker/llama`", "`base`")):
            (self.root / "ARCHITECTURE.md").write_text(text)
            with self.assertRaises(ValueError):
                faults(self.root)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The files of integrations/, as far as they can be tested without a network, Docker and Conan: the CI script, and the commands of the
GitHub action and the GitLab template, on programs with and without a race; the problem matcher on a real report; the files,
packages and build options that the image and the Conan recipe name.

Usage: integrations_test.py BUILD [unittest options]
"""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTEGRATIONS = ROOT / "integrations"
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
PROGRAM = """#include <thread>
int last;
int main(int count, char**) {
  std::thread a([] { last = 1; });
  if (count == 1) a.join();
  std::thread b([] { last = 2; });
  if (count != 1) a.join();
  b.join();
}
"""


def block_after(text, key):
    """The lines of a YAML block scalar: `key: |`."""
    head = re.search(rf"(?m)^( *){key}: \|\n", text)
    lines = []
    for line in text[head.end():].splitlines():
        if line.strip() and len(line) - len(line.lstrip()) <= len(head.group(1)):
            break
        lines.append(line)
    return "\n".join(lines)


class Integrations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="omen-integrations-")))
        (cls.folder / "src").mkdir()
        (cls.folder / "src" / "prog.cpp").write_text(PROGRAM)
        subprocess.run([BUILD / "bin" / "omen-c++", "-g", "-O1", "src/prog.cpp", "-o", "prog"], cwd=cls.folder, check=True)

    def run_script(self, command, code, **environment):
        shutil.rmtree(self.folder / "omen-report", ignore_errors=True)
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
                              env=os.environ | {"PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"} | environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def assert_reports(self, races):
        report = self.folder / "omen-report"
        self.assertEqual(len(json.loads((report / "omen.json").read_text())["races"]), races)
        results = json.loads((report / "omen.sarif").read_text())["runs"][0]["results"]
        self.assertEqual(len(results), races)
        quality = json.loads((report / "omen.code-quality.json").read_text())
        self.assertEqual(len(quality), races)
        junit = xml.etree.ElementTree.parse(report / "omen.junit.xml").getroot()
        self.assertEqual(len(list(junit.iter("failure"))), races)
        self.assertIn("<html", (report / "omen.html").read_text().lower())
        if races:
            uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertEqual((uri, quality[0]["location"]["path"]), ("src/prog.cpp", "src/prog.cpp"))

    def test_script(self):
        script = INTEGRATIONS / "ci" / "omen-ci"
        self.run_script([script, "--", "./prog", "racy"], 66)
        self.assert_reports(1)
        self.run_script([script, "--", "./prog"], 0)
        self.assert_reports(0)
        self.run_script([script], 64)
        self.assertEqual(self.run_script([script, "--", "./prog", "racy"], 23, OMEN_OPTIONS="exitcode=23").returncode, 23)
        self.run_script([script, "--", "./nothing"], 65)
        self.run_script([script, "--", "./prog"], 64, OMEN_RUN_OPTIONS="--no-such-option")

    def test_github_action(self):
        text = (INTEGRATIONS / "github" / "action.yml").read_text()
        script = block_after(text, "run")
        self.assertNotIn("${{", script)  # no text from outside becomes part of the script
        names = re.findall(r"(?m)^        (OMEN_\w+): ", text)
        self.assertEqual(set(names), set(re.findall(r"\$(OMEN_\w+)", script)) | {"OMEN_RUN_OPTIONS"})
        for command, code, races in (("./prog racy", 66, 1), ("./prog; ./prog", 0, 0), ("false; ./prog", 1, None)):
            summary, output = self.folder / "summary", self.folder / "output"
            for file in (summary, output):
                file.write_text("")
            self.run_script(["bash", "-euo", "pipefail", "-c", script], code if races is not None else 65, OMEN_COMMAND=command,
                            OMEN_FOLDER="omen-report", OMEN_RUN_OPTIONS="", OMEN_SCRIPT=str(INTEGRATIONS / "github" / ".." / "ci" / "omen-ci"),
                            GITHUB_WORKSPACE=str(self.folder), GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(summary))
            self.assertEqual(output.read_text(), "sarif=omen-report/omen.sarif\n")
            if races is not None:
                self.assert_reports(races)
                self.assertIn("SUMMARY: OmenRaceDetector: data race" if races else "0 races", summary.read_text())

    def test_gitlab_template(self):
        text = (INTEGRATIONS / "gitlab" / "omen.gitlab-ci.yml").read_text()
        script = re.search(r"(?m)^    - '(.*)'$", text).group(1)
        for command, code, races in (("./prog racy", 66, 1), ("./prog", 0, 0)):
            self.run_script(["bash", "-c", script], code, OMEN_COMMAND=command, OMEN_SCRIPT=str(INTEGRATIONS / "ci" / "omen-ci"),
                            CI_PROJECT_DIR=str(self.folder))
            self.assert_reports(races)
        for path in re.findall(r": (omen-report/\S+)", text):
            self.assertTrue((self.folder / path).is_file(), path)

    def test_problem_matcher(self):
        task = json.loads((INTEGRATIONS / "vscode" / "tasks.json").read_text())["tasks"][0]
        command = [word.replace("${input:program}", "./prog") for word in (task["command"], *task["args"])] + ["racy"]
        pattern = task["problemMatcher"]["pattern"]
        lines = self.run_script(command, 66).stderr.splitlines()
        found = [match for match in (re.match(pattern["regexp"], line) for line in lines) if match]
        self.assertEqual(len(found), 1, lines)
        self.assertEqual((found[0][pattern["code"]], found[0][pattern["file"]]), ("data race", "src/prog.cpp"))
        self.assertIn(int(found[0][pattern["line"]]), (4, 6))
        self.assertIn("main", found[0][pattern["message"]])

    def assert_configures(self, folder, options):
        done = subprocess.run(["cmake", "-S", folder, "-B", self.folder / "configured", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                               "-DCMAKE_CXX_COMPILER=g++-12", *options], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not used by the project", done.stderr)
        shutil.rmtree(self.folder / "configured")

    def test_conan_recipe(self):
        tree = ast.parse((INTEGRATIONS / "conan" / "conanfile.py").read_text())
        loops = {node.target.id: ast.literal_eval(node.iter) for node in ast.walk(tree)
                 if isinstance(node, ast.For) and isinstance(node.target, ast.Name)}
        values = {node.targets[0].id: node.value.value for node in ast.walk(tree)
                  if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant)}
        version = re.search(r"project\(omen VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(values["version"], version)
        exported = self.folder / "exported"
        for name in (*loops["folder"], *loops["file"]):
            source = ROOT / name
            shutil.copytree(source, exported / name) if source.is_dir() else shutil.copy(source, exported / name)
        self.assert_configures(exported, [f"-DOMEN_BUILD_{part}=OFF" for part in loops["part"]])

    def test_image(self):
        text = (INTEGRATIONS / "docker" / "Dockerfile").read_text().replace("\\\n", "")
        for line in re.findall(r"(?m)^RUN (.*)$", text):
            subprocess.run(["bash", "-nc", line], check=True)
        for path in re.findall(r"tools/\S+\.txt", text):
            self.assertTrue((ROOT / path).is_file(), path)
        preset = re.search(r"cmake --preset (\w+)((?: -D\S+)*)", text)
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        self.assertIn(preset.group(1), [one["name"] for one in presets])
        self.assert_configures(ROOT, preset.group(2).split())
        self.assertIn("build", (ROOT / ".dockerignore").read_text().split())


if __name__ == "__main__":
    unittest.main()

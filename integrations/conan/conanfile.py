"""omen for Conan 2, as a tool: a project that requires it is built with omen-cc and omen-c++.

    [tool_requires]
    omen/0.1.0
"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Omen(ConanFile):
    name = "omen"
    version = "0.1.0"
    license = "Apache-2.0 WITH LLVM-exception"
    description = "Predicts data races, and proves each with a schedule"
    package_type = "application"
    settings = "os", "arch", "compiler", "build_type"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for folder in ("analysis", "capture", "checker", "cli", "cmake", "docs", "examples", "mini", "native", "relax", "report", "store",
                       "symbolize", "trace", "vindicate"):
            self.copy_tree(os.path.join(root, folder), folder)
        for file in ("CMakeLists.txt", "README.md", "LICENSE"):
            self.copy_tree(os.path.join(root, file), file)

    def copy_tree(self, source, name):
        import shutil
        target = os.path.join(self.export_sources_folder, name)
        shutil.copytree(source, target) if os.path.isdir(source) else shutil.copy(source, target)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "BENCH", "PROOFS"):
            toolchain.variables[f"OMEN_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.includedirs = []
        for variable, program in (("CC", "omen-cc"), ("CXX", "omen-c++")):
            self.buildenv_info.define_path(variable, os.path.join(self.package_folder, "bin", program))

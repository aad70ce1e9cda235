"""The command of the slang front end, of which pyslang has the library alone: silent unless something is wrong."""

import sys

from pyslang.driver import Driver

driver = Driver()
driver.addStandardArgs()
is_right = (
    driver.parseCommandLine(" ".join(["slang", *sys.argv[1:]]))
    and driver.processOptions()
    and driver.parseAllSources()
    and driver.runFullCompilation(True)
)
sys.exit(0 if is_right else 1)

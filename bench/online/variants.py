"""The ways in which everything is measured: a build, and what stands in front of the program when it runs."""
import dataclasses
import subprocess

ANALYSES = ("fto-hb", "st-wdc", "st-dc", "st-wcp")


@dataclasses.dataclass
class Variant:
    name: str
    title: str
    flavour: str         # of flavours.py
    runtime: str = ""    # what omen's flavour is linked with
    analysis: str = ""   # of omen run --online


NATIVE = Variant("native", "native", "native")
TSAN = Variant("tsan", "clang TSan", "tsan")
VARIANTS = {variant.name: variant for variant in (
    NATIVE, TSAN, Variant("gcc-tsan", "GCC TSan", "gcc-tsan"), Variant("empty", "empty callbacks", "omen", "empty"),
    *(Variant(analysis, f"omen {analysis}", "omen", "omen", analysis) for analysis in ANALYSES))}


def has_online(omen):
    """Whether this omen can detect while the program runs."""
    shown = subprocess.run([omen, "run", "--help"], capture_output=True, text=True, check=False)
    return "--online" in shown.stdout + shown.stderr


def prefix(variant, omen):
    return [omen, "run", f"--online={variant.analysis}", "--"] if variant.analysis else []

"""All results of `experiments/results/` as one page, `experiments/results.md`."""

import json

from experiments.common import FIGURES, HERE, RESULTS, table

NAMES = ("xor", "grammar", "wisconsin", "survey", "alphadigits", "overfitting", "robustness", "ard")


def main():
    lines = [
        "# Results",
        "",
        "Each table says its command (`--smoke`: a small size that shows only that it runs).",
        "",
    ]
    for name in NAMES:
        path = RESULTS / f"{name}.json"
        lines += [f"## {name}", ""]
        if not path.exists():
            lines += ["Not run at full size yet.", ""]
            continue
        kept = json.loads(path.read_text())
        size = " --smoke" if kept["smoke"] else ""
        lines.append(f"`python -m experiments.{name}{size}`, {kept['date']}, {kept['cores']} cores")
        lines += ["", table(kept["rows"]), ""]
        lines += [f"![{p.stem}](figures/{p.name})\n" for p in sorted(FIGURES.glob(f"{name}*.png"))]
    (HERE / "results.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()

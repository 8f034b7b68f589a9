"""Draws the picture of the README, docs/picture.png: run `.venv/bin/python docs/picture.py`.

A fit to the bundled Wisconsin table; a new patient of whom two examinations are known.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import clgp
from clgp.ask.embed import embed
from clgp.data import path
from clgp.tables import encode_case

KNOWN = {"clump_thickness": 5, "bland_chromatin": 3}
COLOURS = {"benign": "#2a78b5", "malignant": "#d1495b"}

table = clgp.read(path("wisconsin"))
model = clgp.CLGP(random_state=0, verbose=False).fit(table).fitted
assert model.map is not None
place, _ = embed(model.map, model.codes(table))
kind = np.array(table["class"].text())
asked = model.rank_next(KNOWN, target="class")

plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
figure, (left, middle, right) = plt.subplots(
    1, 3, figsize=(10, 3.1), width_ratios=[1.15, 0.9, 1.1], layout="constrained"
)
for name, colour in COLOURS.items():
    at = place[kind == name]
    left.scatter(*at.T, s=9, c=colour, alpha=0.45, linewidths=0, label=name)
mean, spread = embed(model.map, encode_case(KNOWN, model.schema))
left.errorbar(
    *mean.T, xerr=spread[:, 0], yerr=spread[:, 1],
    fmt="o", c="black", ms=5, capsize=2, label="new patient",
)  # fmt: skip
left.set(title="A map of 699 patients", xticks=[], yticks=[])
left.legend(frameon=False, loc="best", handletextpad=0.2)

case = model.predict_proba([KNOWN])
chosen = "bare_nuclei"
cell = [one for one in case if one["column"] == chosen]
middle.bar([one["level"] for one in cell], [one["prob"] for one in cell], color="#5b8c5a")
middle.set(title=f"{chosen}, not yet examined", xlabel="level", ylabel="probability")

top = asked.questions[:6][::-1]
right.barh([q.column for q in top], [q.bits for q in top], color="#8a6fae")
belief = "\n".join(f"{level} {p:.0%}" for level, p in asked.belief.items())
right.set(title="What to examine next?", xlabel="bits about the class")
right.text(1, 0.03, f"known so far:\n{belief}", transform=right.transAxes, ha="right", va="bottom")

figure.savefig(Path(__file__).with_name("picture.png"), dpi=150)

# Two commands do all the set-up: `make demo` and `make test`. Needs python3, git and make.
export PYTHONWARNINGS :=
BIN := .venv/bin

.PHONY: demo test lint format experiments experiments-full clean

demo: .venv/.ready-plain
	$(BIN)/clgp demo

test: .venv/.ready-test
	$(BIN)/python -m pytest --numprocesses auto --dist loadscope

lint: .venv/.ready-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

EXPERIMENTS := xor grammar wisconsin survey alphadigits overfitting robustness ard

experiments: .venv/.ready-test
	for name in $(EXPERIMENTS); do $(BIN)/python -m experiments.$$name --smoke || exit 1; done
	$(BIN)/python -m experiments.report

experiments-full: .venv/.ready-test
	for name in $(EXPERIMENTS); do $(BIN)/python -m experiments.$$name || exit 1; done
	$(BIN)/python -m experiments.report

format: .venv/.ready-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.venv/.ready-plain: pyproject.toml uv.lock tools/environment
	tools/environment --inexact
	@touch $@

.venv/.ready-test: pyproject.toml uv.lock tools/environment
	tools/environment --all-extras --group test --group lint
	@touch .venv/.ready-plain $@

clean:
	rm -rf .venv .uv dist demo

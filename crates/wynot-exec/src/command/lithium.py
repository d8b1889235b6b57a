# Calls a Lithium condition once: CONDITION ARGS... FILE. Exit 0: interesting, 1: not, 125: it raised.
import importlib, os, sys, tempfile, traceback
name, args = sys.argv[1], sys.argv[2:]
folder, module = os.path.split(name)
module = module[:-3] if module.endswith(".py") else module
sys.path.append(folder or os.getcwd())
try:
    try:
        condition = importlib.import_module(module)
    except ImportError:
        if folder or os.path.exists(module + ".py"):
            raise
        condition = importlib.import_module("lithium.interestingness." + module)
    finally:
        sys.path.pop()
    prefix = os.path.join(tempfile.mkdtemp(), "1")
    if hasattr(condition, "init"):
        condition.init(args)
    try:
        answer = bool(condition.interesting(args, prefix))
    finally:
        if hasattr(condition, "cleanup"):
            condition.cleanup(args)
except Exception:
    traceback.print_exc()
    sys.exit(125)
sys.exit(0 if answer else 1)

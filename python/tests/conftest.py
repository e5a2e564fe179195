import signal


def pytest_configure(config):
    # A shell starts what it runs in the background with Ctrl-C ignored; these tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "long: takes minutes; ctest runs it with the label long")


def pytest_terminal_summary(terminalreporter):
    """What was left out, as tests/check/skipped.py reads it."""
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"{report.nodeid}: skipped, {reason.removeprefix('Skipped: ')}")

def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; ctest runs it with the label long")

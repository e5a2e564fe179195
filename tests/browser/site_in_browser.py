#!/usr/bin/env python3
"""Opens the pages of the site (./run docs) from their folder in headless Chromium: light, dark and as wide as a phone.

Usage: site_in_browser.py SITE CHROMIUM FOLDER

No word may come on the console, nothing may be asked for but files beside the page, no page is wider than its window, no
picture is missing, and the search finds words of guide, C++ and Python. Pictures of some pages stay in FOLDER.
"""
import pathlib
import sys
import time

from chromium import Chromium

SHOT = {'index', 'gallery', 'simulate', 'theory', 'api'}
# What somebody may look for, and a page that must be among the answers.
SEARCHES = {'proximal step': 'theory.html', 'RunRecorder': 'cpp/classnsn_1_1RunRecorder.html',
            'solve_lcp': 'python/api.html', 'heavy-stack': 'gallery.html'}
LIGHT = '(Number(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]) > 128)'
MISSING = '[...document.images].filter(one => one.complete && !one.naturalWidth).map(one => one.src)'


def pages_of(site):
    """All of ours, and of the C++ reference one of each kind."""
    ours = [page for page in site.rglob('*.html') if page.relative_to(site).parts[0] not in ('cpp', 'source')]
    names = ('annotated', 'files', 'namespace_member_functions', 'classnsn_1_1Simulation', 'world_8h')
    return sorted(page for page in ours if page.name != '404.html') + [site / 'cpp' / f'{name}.html' for name in names]


def check_page(browser, site, path, folder):
    name = path.relative_to(site)
    page = browser.open(path)
    for dark, width in ((False, 1280), (True, 1280), (True, 390)):
        page.set_dark(dark)
        page.set_size(width, 900)
        page.wait_for(f'{LIGHT} === {str(not dark).lower()}')
        assert page.evaluate('document.documentElement.scrollWidth') <= width, f'{name}: wider than {width} pixels'
        if path.stem in SHOT:
            time.sleep(0.5)  # what fades in
            page.shoot(folder / f'{path.stem}-{"dark" if dark else "light"}-{width}.png')
    assert page.evaluate(MISSING) == [], f'{name}: pictures are missing'
    assert page.console == [], f'{name}: the console says {page.console}'
    foreign = [url for url in page.requests if not url.startswith('file:')]
    assert foreign == [], f'{name} asks for {foreign}'
    page.close()


def check_search(browser, site):
    page = browser.open(site / 'index.html')
    for words, wanted in SEARCHES.items():
        page.evaluate(f'(box => {{ box.focus(); box.value = {words!r}; box.dispatchEvent(new Event("keyup")); '
                      'box.dispatchEvent(new Event("input")); })(document.querySelector(".md-search__input"))')
        found = '[...document.querySelectorAll(".md-search-result__link")].some(one => one.href.includes'
        page.wait_for(f'{found}({wanted!r}))')
    assert page.console == [], f'search: the console says {page.console}'
    page.close()


def main():
    site, chromium, folder = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    pages = pages_of(site)
    with Chromium(chromium, folder) as browser:
        for page in pages:
            check_page(browser, site, page, folder)
        check_search(browser, site)
    print(f'{len(pages)} pages of the site in a browser: ok')


if __name__ == '__main__':
    main()

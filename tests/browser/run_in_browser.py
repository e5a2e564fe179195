#!/usr/bin/env python3
"""Opens pages of recorded runs in headless Chromium and uses them as a reader does.

Usage: run_in_browser.py NSN CHROMIUM FOLDER

Picks, plays, scrubs, turns, and presses the keys; one run and two side by side, rigid and soft, light and dark. No word may
come on the console, nothing may be asked for, and a page that cannot show its run says so. Screenshots stay in FOLDER.
"""
import base64
import gzip
import pathlib
import re
import subprocess
import sys
import time

from chromium import Chromium

# Different colours of the picture: a blank one has few.
COLOURS = """(() => {
  const stage = document.getElementById('stage'), copy = document.createElement('canvas');
  Object.assign(copy, {width: stage.width, height: stage.height});
  const context = copy.getContext('2d');
  context.drawImage(stage, 0, 0);
  const pixels = context.getImageData(0, 0, copy.width, copy.height).data, colours = new Set();
  for (let i = 0; i < pixels.length; i += 388) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  return colours.size;
})()"""
# Where in the window a body is drawn in a half of the picture.
PLACE = """((body, half) => {
  const stage = app.stage, pane = stage.panes[half], p = pane.run.position(body, pane.frame), m = pane.view;
  const [left, bottom, w, h] = stage.area(half), ratio = stage.canvas.clientWidth / stage.canvas.width;
  const at = [0, 1, 3].map(k => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k]);
  return [ratio * (left + w * (at[0] / at[2] + 1) / 2), ratio * (stage.canvas.height - bottom - h * (at[1] / at[2] + 1) / 2)];
})"""


def make(nsn, folder):
    """Pages of short runs by name."""
    for name, words in {'arch': ['arch', '--steps', '60'],
                        'four-bar': ['four-bar', '--steps', '60'],
                        'soft': ['soft-ball-drop', '--steps', '40', '--set', 'tets=80'],
                        'rough': ['arch', '--steps', '60', '--preset', 'paper', '--set', 'mu=0.3']}.items():
        done = subprocess.run([nsn, 'run', *words, '--html', folder / f'{name}.html', '--quiet'],
                              capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
    two = [folder / 'arch.html', folder / 'rough.html', '--html', folder / 'two.html']
    subprocess.run([nsn, 'view', *two, '--quiet'], check=True)


def opened(browser, page, hash_='', **more):
    page = browser.open(page, hash_, **more)
    page.wait_for('window.app || !document.getElementById("trouble").hidden')
    return page


def check_silent(page):
    assert page.console == [], f'{page.name}: the console says {page.console}'
    assert page.requests == [], f'{page.name} asks for {page.requests}'


def text(page, name):
    return page.evaluate(f'document.getElementById("{name}").textContent')


def near(value, wanted, by):
    assert abs(value - wanted) <= by, f'{value} is not {wanted}'


def check_time(page):
    """Play, slider, plots and keys move one clock."""
    page.press('Home')
    near(page.evaluate('app.time'), 0.0, 1e-9)
    page.press(' ')
    page.wait_for('app.time > 0.1')
    page.press(' ')
    page.wait_for('!app.playing')
    end = page.evaluate('app.end')
    box = page.evaluate('(b => [b.left, b.top, b.width, b.height])(document.getElementById("slider").getBoundingClientRect())')
    page.click(box[0] + box[2] / 2, box[1] + box[3] / 2)
    near(page.evaluate('app.time'), end / 2, 0.02 * end)
    box = page.evaluate('(b => [b.left, b.top, b.width, b.height])(app.plots[0].canvas.getBoundingClientRect())')
    page.click(box[0] + 0.25 * box[2], box[1] + 30)
    near(page.evaluate('app.time'), end / 4, 0.02 * end)
    before = page.evaluate('app.time')
    page.press('ArrowRight')
    assert page.evaluate('app.time') > before
    page.press('End')
    near(page.evaluate('app.time'), end, 1e-9)


def check_camera(page):
    before = page.evaluate('JSON.stringify(app.stage.camera)')
    page.drag([(640, 300), (680, 330)])
    turned = page.evaluate('JSON.stringify(app.stage.camera)')
    page.drag([(640, 300), (680, 330)], 'right')
    panned = page.evaluate('JSON.stringify(app.stage.camera)')
    away = page.evaluate('app.stage.camera.away')
    page.wheel(640, 300, -200)
    page.wait_for(f'app.stage.camera.away < {away}')
    assert len({before, turned, panned}) == 3
    page.press('1')
    assert page.evaluate('JSON.stringify(app.stage.camera)') == before


def check_switches(page):
    before = page.evaluate('document.getElementById("forces").value')
    for key in 'acjxg234':
        page.press(key)
    assert page.evaluate('document.getElementById("forces").value') != before
    assert page.evaluate('document.getElementById("cones").checked')
    assert not page.evaluate('document.getElementById("joints").checked')
    for key in 'cjxg1':
        page.press(key)
    theme = page.evaluate('document.documentElement.dataset.theme')
    page.press('d')
    assert page.evaluate('document.documentElement.dataset.theme') not in (theme, None)
    page.press('d')


def check_page(browser, path, plots):
    page = opened(browser, path)
    assert page.evaluate('document.getElementById("trouble").hidden'), text(page, 'trouble')
    assert page.evaluate(COLOURS) > 8, f'{page.name}: nothing is drawn'
    assert page.evaluate('app.plots.length') == plots
    check_time(page)
    check_camera(page)
    check_switches(page)
    check_silent(page)
    page.shoot(path.with_suffix('.png'))
    return page


def check_pick(browser, path):
    """By a click and by the address."""
    page = opened(browser, path, '#t=0.2&pick=7')
    near(page.evaluate('app.time'), 0.2, 1e-9)
    assert 'body 7' in text(page, 'picked')
    page.press('Escape')
    page.wait_for('document.getElementById("picked").hidden')
    page.wait_for('app.stage.panes[0].view')
    page.click(*page.evaluate(f'{PLACE}(16, 0)'))
    page.wait_for('!document.getElementById("picked").hidden')
    said = text(page, 'picked')
    for word in ('body 16', 'kg', 'position', 'velocity', 'force', 'stick', 'along the normal'):
        assert word in said, f'{word}: {said}'
    page.wait_for('location.hash.includes("pick=16") && location.hash.includes("t=0.2&")')
    check_silent(page)


def check_pair(browser, path):
    page = check_page(browser, path, 6)
    names = page.evaluate('[...document.getElementById("names").children].map(one => one.textContent)')
    assert 'preset accurate' in names[0] and 'preset paper' in names[1] and 'mu 0.3' in names[1], names
    assert 'part' in text(page, 'parted') or 'within' in text(page, 'parted'), text(page, 'parted')
    page.click(*page.evaluate(f'{PLACE}(5, 1)'))
    page.wait_for('app.stage.picked === 6')
    assert text(page, 'picked').count('velocity') == 2, 'both runs tell of the picked body'


def check_themes(browser, path):
    """Light and dark, and the narrow window of a phone."""
    pictures = []
    for dark in (False, True):
        page = opened(browser, path, '#t=0.2&pick=7', dark=dark)
        page.wait_for('app.stage.panes[0].view')
        pictures.append(page.shoot(path.with_name(f'{path.stem}-{"dark" if dark else "light"}.png')))
    assert pictures[0] != pictures[1]
    page.set_size(390, 800)
    time.sleep(0.5)
    page.shoot(path.with_name(f'{path.stem}-phone.png'))
    assert page.evaluate('document.documentElement.scrollWidth') <= 390


def with_other_run(page, name, change):
    whole = page.read_text()
    coded = re.search(r'class="run">([^<]*)<', whole).group(1)
    out = page.with_name(name)
    out.write_text(whole.replace(coded, base64.b64encode(change(base64.b64decode(coded))).decode()))
    return out


def other_version(packed):
    """A build without zlib does not pack its runs."""
    zipped = packed[:2] == b'\x1f\x8b'
    plain = bytearray(gzip.decompress(packed) if zipped else packed)
    plain[7] = 7
    return gzip.compress(bytes(plain)) if zipped else bytes(plain)


def check_sentences(browser, path):
    """A page that cannot show its run says why."""
    def said(page, before=''):
        page = opened(browser, page, before=before)
        check_silent(page)
        return text(page, 'trouble')
    assert 'damaged' in said(with_other_run(path, 'cut.html', lambda data: data[:len(data) // 2]))
    assert 'damaged' in said(with_other_run(path, 'noise.html', lambda data: b'no run at all'))
    assert 'version 7' in said(with_other_run(path, 'newer.html', other_version))
    assert 'WebGL 2' in said(path, 'HTMLCanvasElement.prototype.getContext = () => null')
    assert 'DecompressionStream' in said(path, 'delete window.DecompressionStream')


def main():
    nsn, chromium, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make(nsn, folder)
    with Chromium(chromium, folder) as browser:
        for name in ('arch', 'four-bar', 'soft'):
            check_page(browser, folder / f'{name}.html', 5)
        check_pick(browser, folder / 'arch.html')
        check_pair(browser, folder / 'two.html')
        check_themes(browser, folder / 'arch.html')
        check_sentences(browser, folder / 'arch.html')
    print('pages of runs: ok')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Opens the pages that nsn writes in headless Chromium, as a reader does by double click.

Usage: report_in_browser.py NSN CHROMIUM FOLDER

Makes a study, a sweep and a comparison in FOLDER, then checks of each page: no error or warning on
the console, every chart of the data drawn with a size, every picture decoded, the values under the
pointer shown, a table with the rows of its CSV file, and a printed version with at least one page.
Screenshots (light and dark) stay in FOLDER.
"""
import json
import pathlib
import re
import subprocess
import sys

PROBE = """
<script>
window.addEventListener('load', () => {
  const seen = {figures: 0, drawn: 0, curves: 0, hover: 0, pictures: 0, decoded: 0, rows: 0,
                downloads: 0, width: document.documentElement.scrollWidth};
  for (const svg of document.querySelectorAll('figure svg')) {
    ++seen.figures;
    const box = svg.getBoundingClientRect();
    if (box.width > 100 && box.height > 100) ++seen.drawn;
    seen.curves += svg.querySelectorAll('path,polyline,line,circle').length;
    const curve = [...svg.querySelectorAll('.series')].find(g => (g.dataset.p || '').trim());
    if (!curve) continue;
    const [x, y] = curve.dataset.p.trim().split(' ').map(Number);
    const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    svg.dispatchEvent(new PointerEvent('pointermove',
                                       {bubbles: true, clientX: at.x, clientY: at.y}));
    if (svg.querySelector('.tip.on text').textContent) ++seen.hover;
  }
  for (const img of document.querySelectorAll('img')) {
    ++seen.pictures;
    if (img.complete && img.naturalWidth > 0) ++seen.decoded;
  }
  seen.rows = document.querySelectorAll('tbody tr').length;
  seen.downloads = document.querySelectorAll('a[download]').length;
  const out = document.createElement('pre');
  out.id = 'probe';
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>
"""


def run(command, **kwargs):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=240, **kwargs)


class Browser:
    def __init__(self, program, folder):
        self.base = [program, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
                     '--disable-dev-shm-usage', f'--user-data-dir={folder / "profile"}',
                     '--window-size=1280,1600', '--enable-logging=stderr', '--v=0']

    def load(self, page, *options):
        done = run([*self.base, *options, page.as_uri()])
        console = re.findall(r'CONSOLE[^\n]*', done.stderr)
        assert done.returncode == 0, f'{page.name}: Chromium ended with {done.returncode}'
        assert not console, f'{page.name}: the console says {console}'
        return done.stdout


def probe(browser, page):
    copy = page.with_name(page.stem + '-probe.html')
    copy.write_text(page.read_text().replace('</body>', PROBE + '</body>'))
    dom = browser.load(copy, '--virtual-time-budget=5000', '--dump-dom')
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    assert found, f'{page.name}: the scripts of the page did not run'
    return json.loads(found.group(1))


def check(browser, page, charts, rows, pictures):
    seen = probe(browser, page)
    print(page.name, seen)
    assert seen['figures'] == seen['drawn'] == charts, f'{charts} charts expected: {seen}'
    assert seen['hover'] == charts, f'values under the pointer are missing: {seen}'
    assert seen['pictures'] == seen['decoded'] == pictures, f'{pictures} pictures expected: {seen}'
    assert seen['rows'] >= rows, f'{rows} table rows expected: {seen}'
    assert seen['downloads'] > 0, f'nothing can be saved: {seen}'
    assert seen['width'] <= 1280, f'the page is wider than its window: {seen}'
    folder = page.parent
    browser.load(page, f'--screenshot={folder / (page.stem + ".png")}')
    browser.load(page, '--blink-settings=preferredColorScheme=0',
                 f'--screenshot={folder / (page.stem + "-dark.png")}')
    assert ((folder / (page.stem + '.png')).read_bytes()
            != (folder / (page.stem + '-dark.png')).read_bytes()), 'dark looks like light'
    pdf = folder / (page.stem + '.pdf')
    browser.load(page, f'--print-to-pdf={pdf}')
    assert b'/Type /Page' in pdf.read_bytes(), 'nothing was printed'


def main():
    nsn, chromium, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser(chromium, folder)

    studies = ['kink', 'friction-functions', 'rscaling', 'precision']
    run([nsn, 'study', *studies, '--quick', '--quiet', '--out', folder], check=True)
    outcomes = [json.loads((folder / f'{name}.json').read_text())['outcome'] for name in studies]
    scenes = {row['scene'] for one in outcomes for row in one['results'] if 'scene' in row}
    check(browser, folder / 'study.html', sum(len(one['charts']) for one in outcomes),
          sum(len(one['results']) for one in outcomes), len(scenes))

    run([nsn, 'sweep', 'arch', '--preset', 'paper', '--over', 'linear=pcr,pcg', '--over',
         'mu=0.5,0.7', '--steps', '3', '--quiet', '--out', folder], check=True)
    check(browser, folder / 'sweep.html', 3, 4, 0)  # the cells; two measures over mu


if __name__ == '__main__':
    main()

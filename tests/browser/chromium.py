"""Headless Chromium, driven over a pipe (the DevTools protocol): loads pages, clicks, asks, takes pictures.

    with Chromium(program, folder) as browser:
        page = browser.open(path)
        page.evaluate('document.title')
        page.click(300, 200)
        page.shoot(folder / 'a.png')
        assert page.console == [] and page.requests == []
"""
import base64
import json
import os
import select
import subprocess
import time

SECONDS = 120  # for one answer: the machine may be busy


class Chromium:
    def __init__(self, program, folder, width=1280, height=800):
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def wire():  # the browser reads commands from 3 and answers on 4
            os.dup2(to_browser, 60)
            os.dup2(from_browser, 61)
            os.dup2(60, 3)
            os.dup2(61, 4)

        self.process = subprocess.Popen(
            [str(program), '--headless', '--no-sandbox', '--no-first-run', '--disable-dev-shm-usage', '--hide-scrollbars',
             f'--user-data-dir={folder / "profile"}', f'--window-size={width},{height}', '--use-gl=angle',
             '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--remote-debugging-pipe', 'about:blank'],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.width, self.height, self.last, self.rest, self.events = width, height, 0, b'', []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call('Browser.close')
            self.process.wait(10)
        except (OSError, AssertionError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {'id': self.last, 'method': method, 'params': parameters}
        if session:
            message['sessionId'] = session
        os.write(self.write, json.dumps(message).encode() + b'\0')
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            answer = self.next_message(until)
            if answer.get('id') == self.last:
                assert 'error' not in answer, f'{method}: {answer["error"]}'
                return answer['result']
            self.events.append(answer)
        raise AssertionError(f'{method}: no answer after {SECONDS} s')

    def next_message(self, until):
        while b'\0' not in self.rest:
            ready, _, _ = select.select([self.read], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self.read, 1 << 20) if ready else b''
            assert data, 'Chromium does not answer'
            self.rest += data
        message, _, self.rest = self.rest.partition(b'\0')
        return json.loads(message)

    def open(self, path, hash_='', dark=False, before=''):
        return Page(self, path, hash_, dark, before)


class Page:
    """before: a script that runs in the page before its own."""

    def __init__(self, browser, path, hash_, dark, before):
        self.browser, self.name = browser, path.name
        self.target = browser.call('Target.createTarget', url='about:blank')['targetId']
        self.session = browser.call('Target.attachToTarget', targetId=self.target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(f'{domain}.enable')
        self.set_dark(dark)
        self.set_size(browser.width, browser.height)
        if before:
            self.call('Page.addScriptToEvaluateOnNewDocument', source=before)
        self.url = path.as_uri()
        self.call('Page.navigate', url=self.url + hash_)
        self.wait_for('document.readyState === "complete"')

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call('Target.closeTarget', targetId=self.target)

    def set_dark(self, dark):
        self.call('Emulation.setEmulatedMedia',
                  features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def set_size(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in answer, f'{self.name}: {expression}: {answer["exceptionDetails"]}'
        return answer['result'].get('value')

    def wait_for(self, expression):
        until = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            assert time.monotonic() < until, f'{self.name}: never: {expression}'
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.drag([(x, y)])

    def drag(self, places, button='left'):
        """Down at the first place, up at the last."""
        (x, y), button_of = places[0], {'button': button, 'buttons': 1 if button == 'left' else 2, 'clickCount': 1}
        self.mouse('mouseMoved', x, y)
        self.mouse('mousePressed', x, y, **button_of)
        for x, y in places[1:]:
            self.mouse('mouseMoved', x, y, **button_of)
        self.mouse('mouseReleased', x, y, **button_of)

    def wheel(self, x, y, by):
        self.mouse('mouseWheel', x, y, deltaX=0, deltaY=by)

    def press(self, key):
        text = {'text': key} if len(key) == 1 else {}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, **text)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key)

    def shoot(self, path):
        """Also returns the bytes."""
        data = base64.b64decode(self.call('Page.captureScreenshot', format='png')['data'])
        path.write_bytes(data)
        return data

    def of(self, *methods):
        return [event['params'] for event in self.browser.events
                if event.get('sessionId') == self.session and event.get('method') in methods]

    @property
    def console(self):
        return self.of('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded')

    @property
    def requests(self):
        """What the page asks for besides itself."""
        urls = [event['request']['url'] for event in self.of('Network.requestWillBeSent')]
        return [url for url in urls if url.partition('#')[0] != self.url and not url.startswith(('data:', 'blob:'))]

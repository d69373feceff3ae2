import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasDesktop } from '../../lib/runtime/node/open-browser'

const test = suite('open browser')

test('opens a browser only on a desktop at which the person sits', () => {
  assert.ok(hasDesktop({}, 'darwin'))
  assert.ok(hasDesktop({}, 'win32'))
  assert.ok(hasDesktop({ DISPLAY: ':0' }, 'linux'))
  assert.ok(hasDesktop({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux'))
  assert.ok(hasDesktop({ WSL_DISTRO_NAME: 'Debian' }, 'linux'))
  // Without a display, the system would start a browser in the terminal.
  assert.not(hasDesktop({}, 'linux'))
  assert.not(hasDesktop({ SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }, 'darwin'))
  assert.not(hasDesktop({ SSH_TTY: '/dev/pts/1', DISPLAY: 'localhost:10.0' }, 'linux'))
})

test.run()

// If this worked: a program would have the person's session start something for it, outside of every wall.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: (field, place) => `
import glob
def speak(path):
    s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect(path)
    s.send(b'\\0AUTH EXTERNAL 30\\r\\n')
    return path
address = os.environ.get('DBUS_SESSION_BUS_ADDRESS', '')
attempt('the address is known', lambda: address)
own = address.removeprefix('unix:path=') or '${field.socketFile}'
for path in {own} if '${place}' == 'outside' else {own, '/run/dbus/system_bus_socket', '/var/run/dbus/system_bus_socket',
    *glob.glob('/run/user/*/bus'), *glob.glob('/run/user/*/systemd/private')}:
    attempt(path, lambda: speak(path))
`,
    },
    {
      language: 'bash',
      control: 'A machine of tests has no session of a person; the Python program speaks to a stand-in for its bus',
      code: () => `
attempt 'systemd-run' 'systemd-run --user --wait true'
attempt 'systemctl' 'systemctl --user list-units'
attempt 'dbus-send' 'dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames'
attempt 'at' 'echo true | at now'
attempt 'crontab' 'echo "* * * * * true" | crontab -'
`,
    },
  ],
};

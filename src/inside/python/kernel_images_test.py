"""Figures and pictures through a real kernel process. Needs a Python that has matplotlib (and so numpy and Pillow)."""

import os
import struct
import subprocess
import sys
import unittest

from kernel_harness import Kernel

BYTES_MAX = 750_000


def _python_with_matplotlib():
    for python in (sys.executable, '/usr/bin/python3'):
        try:
            probe = subprocess.run([python, '-I', '-c', 'import matplotlib, PIL, numpy'], stderr=subprocess.DEVNULL)
        except OSError:
            continue
        if probe.returncode == 0:
            return python
    return None


PYTHON = _python_with_matplotlib()


def size_of_png(data):
    return struct.unpack('>II', data[16:24])


@unittest.skipIf(PYTHON is None, 'no Python here has matplotlib: apt-get install python3-matplotlib')
class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = Kernel(python=PYTHON)
        cls.kernel.run('import matplotlib.pyplot as plt, numpy as np\nfrom PIL import Image')

    @classmethod
    def tearDownClass(cls):
        cls.kernel.close()

    def images(self, code, facts=None):
        answer = self.kernel.run(code)
        self.assertEqual(answer.facts(), facts or {})
        self.assertLessEqual(sum(len(data) for _, data in answer.images), BYTES_MAX)
        return [(mime, size_of_png(data) if mime == 'image/png' else None) for mime, data in answer.images]

    def kinds(self, code, facts=None):
        return [mime for mime, _ in self.images(code, facts)]

    def test_figures_open_at_the_end_are_shown_once_and_closed(self):
        self.assertEqual(self.kinds('plt.plot([1, 2]);\nplt.figure(); plt.plot([2, 1]);'), ['image/png', 'image/png'])
        self.assertEqual(self.kinds('plt.get_fignums()', {'value': '[]'}), [])

    def test_show_shows_and_closes_without_a_warning(self):
        code = 'plt.plot([1])\nplt.show()\nplt.plot([2])\nplt.show(block=True)\nprint(plt.get_fignums())'
        self.assertEqual(self.kinds(code, {'stdout': '[]\n'}), ['image/png', 'image/png'])

    def test_figure_as_last_value_is_shown_once(self):
        self.assertEqual(self.kinds('fig, ax = plt.subplots(); ax.plot([1])\nfig'), ['image/png'])
        self.assertEqual(self.kinds('fig, ax = plt.subplots(); ax.plot([1])\ndisplay(fig)\nfig'), ['image/png'])
        self.assertEqual(
            self.kinds('from matplotlib.figure import Figure\nf = Figure(); f.add_subplot().plot([1])\nf'),
            ['image/png'],
        )

    def test_empty_figure_is_not_shown(self):
        self.assertEqual(self.kinds('plt.figure();'), [])

    def test_figures_of_a_program_that_fails_or_exits_are_shown(self):
        answer = self.kernel.run('plt.plot([1])\n1/0')
        self.assertEqual((answer.status, len(answer.images)), ('error', 1))
        answer = self.kernel.run('plt.plot([1])\nexit(3)')
        self.assertEqual((answer.exit, answer.status, len(answer.images)), (3, 'exit', 1))

    def test_figure_that_cannot_be_drawn_is_the_programs_error(self):
        answer = self.kernel.run('plt.title("$\\\\nonsense$")\nplt.show()')
        self.assertEqual((answer.status, answer.images), ('error', []))
        self.assertIn('Unknown symbol: \\nonsense', answer.stderr)
        answer = self.kernel.run('plt.title("$\\\\nonsense$");')
        self.assertEqual((answer.status, answer.images), ('error', []))
        self.assertEqual(self.kinds('plt.get_fignums()', {'value': '[]'}), [])

    def test_huge_figure_gets_fewer_dots(self):
        [(_, (width, height))] = self.images('plt.figure(figsize=(100, 50), dpi=300); plt.plot([1]);')
        self.assertLessEqual(max(width, height), 2000)

    def test_interrupted_program_leaves_its_figures_for_later(self):
        answer = self.kernel.run(
            'plt.plot([1])\nprint("started")\nwhile True: pass', when_started=self.kernel.interrupt
        )
        self.assertEqual((answer.status, answer.images), ('interrupted', []))
        self.assertEqual(self.kinds('x = 1'), ['image/png'])

    def test_pictures(self):
        red = 'picture = Image.new("RGB", (30, 20), "red")\n'
        self.assertEqual(self.images(red + 'picture'), [('image/png', (30, 20))])
        self.assertEqual(self.images(red + 'picture.show()'), [('image/png', (30, 20))])
        self.assertEqual(self.images(red + 'picture.convert("CMYK")'), [('image/png', (30, 20))])
        self.assertEqual(self.images('Image.new("L", (8000, 40))'), [('image/png', (2000, 10))])

    def test_display_takes_anything(self):
        self.assertEqual(
            self.images('display(Image.new("1", (3, 4)), 5, "text", [1]); display()', {'stdout': "5\n'text'\n[1]\n"}),
            [('image/png', (3, 4))],
        )
        encoded = 'import io\nb = io.BytesIO(); Image.new("RGB", (3, 4)).save(b, "%s")\n'
        for kind in ('PNG', 'JPEG', 'GIF', 'WEBP'):
            self.assertEqual(self.kinds(encoded % kind + 'display(b.getvalue())'), ['image/' + kind.lower()])

    def test_bytes_as_last_value_are_bytes(self):
        self.assertEqual(self.images('b"\\x89PNG"', {'value': r"b'\x89PNG'"}), [])

    def test_objects_that_know_their_image(self):
        base = 'import io, base64\nb = io.BytesIO(); Image.new("RGB", (3, 4)).save(b, "%s"); b = b.getvalue()\nclass A:\n    def %s(self, **o): return %s\nA()'
        for kind, method, value in (
            ('PNG', '_repr_png_', 'b'),
            ('PNG', '_repr_png_', 'b, {"width": 3}'),
            ('PNG', '_repr_png_', 'base64.b64encode(b).decode()'),
            ('JPEG', '_repr_jpeg_', 'b'),
            ('PNG', '_repr_mimebundle_', '{"text/plain": "x", "image/png": b}'),
            ('PNG', '_repr_mimebundle_', '({"image/png": b}, {})'),
        ):
            with self.subTest(method + value):
                self.assertEqual(self.kinds(base % (kind, method, value)), ['image/' + kind.lower()])
        for method, value in (('_repr_png_', 'None'), ('_repr_mimebundle_', '{"text/html": "x"}')):
            self.assertEqual(
                self.kinds(
                    'class A:\n    def %s(self, **o): return %s\n    def __repr__(self): return "A"\nA()'
                    % (method, value),
                    {'value': 'A'},
                ),
                [],
            )

    def test_objects_that_answer_to_every_name_have_no_image(self):
        answer = self.kernel.run('from unittest.mock import MagicMock\nMagicMock()')
        self.assertEqual((answer.status, answer.images, answer.value[:10]), ('ok', [], '<MagicMock'))

    def test_ipython_display_is_ours(self):
        os.makedirs(os.path.join(self.kernel.workspace, 'IPython'), exist_ok=True)
        for name, text in (('__init__', ''), ('display', 'def display(*a): print("theirs")')):
            with open(os.path.join(self.kernel.workspace, 'IPython', name + '.py'), 'w') as file:
                file.write(text)
        self.assertEqual(
            self.kinds('from IPython.display import display as show\nshow(Image.new("1", (1, 1)))'), ['image/png']
        )

    def test_large_images_are_made_to_fit(self):
        noise = 'Image.fromarray(np.random.randint(0, 255, (%d, %d, 3), dtype="uint8"))'
        self.assertEqual(len(self.kinds(noise % (3000, 4000))), 1)
        self.assertEqual(len(self.kinds('for i in range(5): display(%s)' % noise % (600, 600))), 5)
        kinds = self.images('display(%s, Image.new("RGB", (30, 20)))' % noise % (2000, 2000))
        self.assertEqual(kinds[1], ('image/png', (30, 20)))

    def test_transparency_survives_scaling(self):
        answer = self.kernel.run(
            'a = np.random.randint(0, 255, (900, 900, 4), dtype="uint8"); a[:, :, 3] = 0\nImage.fromarray(a)'
        )
        self.assertLessEqual(len(answer.images[0][1]), BYTES_MAX)

    def test_what_does_not_fit_is_written_to_files(self):
        with Kernel(python=PYTHON) as kernel:
            answer = kernel.run(
                'from PIL import Image\nopen("image-1.png", "w").close()\n'
                'for i in range(22): display(Image.new("RGB", (5, 5)))'
            )
            self.assertEqual(len(answer.images), 20)
            self.assertEqual(answer.notes, ['2 images are too large or too many to show: image-2.png, image-3.png'])
            self.assertEqual(sorted(os.listdir(kernel.workspace)), ['image-1.png', 'image-2.png', 'image-3.png'])
            answer = kernel.run('display(b"GIF89a" + bytes(800_000))')
            self.assertEqual(answer.images, [])
            self.assertEqual(answer.notes, ['1 image is too large or too many to show: image-1.gif'])
            self.assertEqual(os.path.getsize(os.path.join(kernel.workspace, 'image-1.gif')), 800_006)
            kernel.run('import os\nos.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")')
            answer = kernel.run('display(b"GIF89a" + bytes(800_000))')
            self.assertEqual(
                answer.notes, ['1 image is too large or too many to show: not saved (No such file or directory)']
            )


if __name__ == '__main__':
    unittest.main()

import unittest

from _sallyport.frames import HEADER_BYTES_MAX, Decoder, FrameError, encode

FRAME = ('run', [('id', b'7'), ('code', b'print("a\n")\n'), ('arg', b''), ('arg', b'x' * 300)])
BYTES = b'run 4\nid 1\n7\ncode 12\nprint("a\n")\n\narg 0\n\narg 300\n' + b'x' * 300 + b'\n'


class Frames(unittest.TestCase):
    def test_encode_writes_the_form_of_the_protocol(self):
        self.assertEqual(encode(*FRAME), BYTES)

    def test_encode_takes_text_and_never_fails_on_lone_surrogates(self):
        self.assertEqual(encode('pong', [('id', 'é\ud800')]), b'pong 1\nid 8\n\xc3\xa9\\ud800\n')

    def test_decoder_takes_frames_in_pieces_of_any_size(self):
        for size in (1, 2, 7, len(BYTES), len(BYTES) * 2):
            decoder = Decoder()
            frames = []
            data = BYTES + BYTES
            for at in range(0, len(data), size):
                decoder.feed(data[at : at + size])
                frame = decoder.take()
                while frame is not None:
                    frames.append(frame)
                    frame = decoder.take()
            self.assertEqual(frames, [FRAME, FRAME])

    def test_decoder_refuses_what_is_no_frame(self):
        for data in (
            b'Run 0\n',
            b'run\n',
            b'run x\n',
            b'run -1\n',
            b' 1\n',
            b'\n',
            b'run 1\nid 1\n77\n',
            b'run 99999\n',
            b'run 1\ncode 999999999999\n',
            b'x' * HEADER_BYTES_MAX,
            b'run 1\n' + b'x' * HEADER_BYTES_MAX,
        ):
            decoder = Decoder()
            decoder.feed(data)
            with self.subTest(data), self.assertRaises(FrameError):
                decoder.take()


if __name__ == '__main__':
    unittest.main()

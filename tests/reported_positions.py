"""The engine's reports of positions, for scripts that compare it with other implementations of the rules."""

import queue
import subprocess
import threading


class EngineError(Exception):
    """The engine has exited or does not respond."""


class Engine:
    """A UCI engine with separate threads for input and output, so neither side blocks."""

    def __init__(self, path, timeout):
        self.timeout = timeout
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1 << 16)
        self.outbox, self.inbox = queue.Queue(), queue.Queue()
        threading.Thread(target=self._write, daemon=True).start()
        threading.Thread(target=self._read, daemon=True).start()

    def _write(self):
        while True:
            text = self.outbox.get()
            try:
                self.process.stdin.write(text)
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):
                return

    def _read(self):
        report = {"error": None}
        for line in self.process.stdout:
            name, colon, rest = line.rstrip("\n").partition(":")
            if colon and name in ("Fen", "Key", "Check", "Legal moves", "State"):
                report[name] = rest.strip()
                # The last line of a report.
                if name == "State":
                    self.inbox.put(report)
                    report = {"error": None}
            elif line.startswith("info string error: "):
                report["error"] = line
            elif line.strip() == "uciok":
                self.inbox.put("uciok")
        self.inbox.put(None)

    def send(self, text):
        self.outbox.put(text)

    def receive(self):
        try:
            answer = self.inbox.get(timeout=self.timeout)
        except queue.Empty:
            raise EngineError("no response from the engine for %g seconds" % self.timeout) from None
        if answer is None:
            raise EngineError("the engine has exited with status %s" % self.process.wait())
        return answer

    def start(self, variant):
        self.send("uci\n")
        while self.receive() != "uciok":
            pass
        self.send("setoption name UCI_Variant value %s\n" % variant)

    def quit(self):
        self.send("quit\n")
        try:
            status = self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise EngineError("the engine does not quit") from None
        if status != 0:
            raise EngineError("the engine exited with status %d" % status)

"""valkey-glide. Its exchange is a script: a client connects again unnoticed, and its WATCH is lost then."""
from glide_sync import (
    ConnectionError as ConnectionEnded,
    GlideClient,
    GlideClientConfiguration,
    GlideError,
    Logger,
    LogLevel,
    NodeAddress,
)

Logger.set_logger_config(LogLevel.OFF)  # it logs on standard output, where the operations go

ERRORS = (GlideError,)
EXCHANGE = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


ATTEMPTS = 4


class Client:
    def __init__(self, host, port, attempts):
        self.sends_again = attempts == "several"
        if self.sends_again:
            config = GlideClientConfiguration([NodeAddress(host, port)], request_timeout=10_000)
        else:
            config = GlideClientConfiguration([NodeAddress(host, port)])
        self.glide = GlideClient.create(config)

    def ask(self, request):
        for attempt in range(ATTEMPTS):
            try:
                return request()
            except ConnectionEnded:
                if not self.sends_again or attempt == ATTEMPTS - 1:
                    raise

    def get(self, key):
        return text(self.ask(lambda: self.glide.get(key)))

    def set(self, key, value):
        return self.ask(lambda: self.glide.set(key, value))

    def swap(self, key, to):
        value = self.get(key)
        is_set = self.glide.custom_command(["EVAL", EXCHANGE, "1", key, value or "", to])
        return value, is_set == 1

    def append(self, key, value):
        return self.ask(lambda: self.glide.rpush(key, [value]))

    def list(self, key):
        return [text(value) for value in self.ask(lambda: self.glide.lrange(key, 0, -1))]


def text(value):
    return None if value is None else value.decode()

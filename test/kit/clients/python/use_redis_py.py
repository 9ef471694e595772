"""redis-py. Exchanges have a connection of their own: one with a WATCH is not asked to move."""
import redis
from redis.backoff import NoBackoff
from redis.maint_notifications import EndpointType, MaintNotificationsConfig
from redis.retry import Retry

ERRORS = (redis.RedisError,)


class Client:
    def __init__(self, host, port, attempts):
        options = {"host": host, "port": port, "decode_responses": True}
        if attempts == "once":
            options["retry"] = Retry(NoBackoff(), 0)
        if attempts != "default":
            options["socket_timeout"] = 10
        self.exchanging = redis.Redis(**options)
        if attempts != "default":
            options["protocol"] = 3
            options["maint_notifications_config"] = MaintNotificationsConfig(endpoint_type=EndpointType.NONE)
        self.redis = redis.Redis(**options)

    def get(self, key):
        return self.redis.get(key)

    def set(self, key, value):
        return self.redis.set(key, value)

    def swap(self, key, to):
        with self.exchanging.pipeline() as transaction:
            try:
                transaction.watch(key)
                value = transaction.get(key)
            except redis.WatchError:
                return None
            transaction.multi()
            transaction.set(key, to)
            try:
                transaction.execute()
                return value, True
            except redis.WatchError as error:
                # the library raises it also when the connection ends behind EXEC, which may have been executed then
                if str(error) != "Watched variable changed.":
                    raise redis.ConnectionError(str(error)) from error
                return value, False

    def append(self, key, value):
        return self.redis.rpush(key, value)

    def list(self, key):
        return self.redis.lrange(key, 0, -1)


class ClusterClient:
    """A transaction is another kind of pipeline there: an exchange is one command."""

    def __init__(self, host, port):
        self.redis = redis.RedisCluster(host=host, port=port, decode_responses=True, socket_timeout=10)

    def get(self, key):
        return self.redis.get(key)

    def set(self, key, value):
        return self.redis.set(key, value)

    def swap(self, key, to):
        return self.redis.getset(key, to), True

    def append(self, key, value):
        return self.redis.rpush(key, value)

    def list(self, key):
        return self.redis.lrange(key, 0, -1)

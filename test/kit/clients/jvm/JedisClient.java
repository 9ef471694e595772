import java.time.Duration;
import java.util.List;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.executors.RetryableCommandExecutor;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** Jedis with its pool, or pools where it knows a cluster; exchanges have a connection of their own. */
final class JedisClient implements Client {
  private final HostAndPort address;
  private final UnifiedJedis client;
  private Jedis exchanging;

  JedisClient(String host, int port, String attempts) {
    address = new HostAndPort(host, port);
    if (attempts.equals("several")) {
      var config = DefaultJedisClientConfig.builder().timeoutMillis(10_000).build();
      var provider = new PooledConnectionProvider(address, config);
      var executor = new RetryableCommandExecutor(provider, 5, Duration.ofSeconds(10));
      client = RedisClient.builder().connectionProvider(provider).commandExecutor(executor).build();
    } else if (attempts.equals("cluster")) {
      client = RedisClusterClient.create(address);
    } else {
      client = RedisClient.builder().hostAndPort(address).build();
    }
  }

  @Override
  public String get(String key) {
    return client.get(key);
  }

  @Override
  public void set(String key, String value) {
    client.set(key, value);
  }

  @Override
  public Swap swap(String key, String to) {
    if (exchanging == null) exchanging = new Jedis(address);
    try {
      exchanging.watch(key);
      var from = exchanging.get(key);
      var transaction = exchanging.multi();
      transaction.set(key, to);
      return new Swap(from, transaction.exec() != null);
    } catch (JedisException error) {
      exchanging.close();
      exchanging = null;
      throw error;
    }
  }

  @Override
  public long append(String key, String value) {
    return client.rpush(key, value);
  }

  @Override
  public List<String> list(String key) {
    return client.lrange(key, 0, -1);
  }

  @Override
  public void close() {
    client.close();
  }
}

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;

/** Lettuce with one connection; exchanges have one of their own, which does not become another one unnoticed. */
final class LettuceClient implements Client {
  private final RedisClient client;
  private final RedisClient exchanger;
  private final StatefulRedisConnection<String, String> connection;
  private StatefulRedisConnection<String, String> exchanging;

  LettuceClient(String host, int port, String attempts) {
    var uri = RedisURI.create(host, port);
    client = RedisClient.create(uri);
    if (attempts.equals("once")) client.setOptions(ClientOptions.builder().replayFilter(command -> true).build());
    connection = client.connect();
    exchanger = RedisClient.create(uri);
    exchanger.setOptions(ClientOptions.builder().autoReconnect(false).build());
  }

  @Override
  public String get(String key) {
    return connection.sync().get(key);
  }

  @Override
  public void set(String key, String value) {
    connection.sync().set(key, value);
  }

  @Override
  public Swap swap(String key, String to) {
    if (exchanging == null) exchanging = exchanger.connect();
    try {
      var commands = exchanging.sync();
      commands.watch(key);
      var from = commands.get(key);
      commands.multi();
      commands.set(key, to);
      return new Swap(from, !commands.exec().wasDiscarded());
    } catch (RedisException error) {
      exchanging.close();
      exchanging = null;
      throw error;
    }
  }

  @Override
  public long append(String key, String value) {
    return connection.sync().rpush(key, value);
  }

  @Override
  public List<String> list(String key) {
    return connection.sync().lrange(key, 0, -1);
  }

  @Override
  public void close() {
    connection.close();
  }
}

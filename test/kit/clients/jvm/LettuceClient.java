import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisListCommands;
import io.lettuce.core.api.sync.RedisStringCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.List;

/** Lettuce with one connection, or one to each node of a cluster; exchanges have one of their own, which does not become another one unnoticed. */
final class LettuceClient implements Client {
  private final RedisClient exchanger;
  private final StatefulConnection<String, String> connection;
  private final RedisStringCommands<String, String> strings;
  private final RedisListCommands<String, String> lists;
  private StatefulRedisConnection<String, String> exchanging;

  LettuceClient(String host, int port, String attempts) {
    var uri = RedisURI.create(host, port);
    if (attempts.equals("cluster")) {
      var client = RedisClusterClient.create(uri);
      var refresh = ClusterTopologyRefreshOptions.builder().enableAllAdaptiveRefreshTriggers().build();
      client.setOptions(ClusterClientOptions.builder().topologyRefreshOptions(refresh).build());
      var opened = client.connect();
      connection = opened;
      strings = opened.sync();
      lists = opened.sync();
    } else {
      var client = RedisClient.create(uri);
      if (attempts.equals("once")) client.setOptions(ClientOptions.builder().replayFilter(command -> true).build());
      var opened = client.connect();
      connection = opened;
      strings = opened.sync();
      lists = opened.sync();
    }
    exchanger = RedisClient.create(uri);
    exchanger.setOptions(ClientOptions.builder().autoReconnect(false).build());
  }

  @Override
  public String get(String key) {
    return strings.get(key);
  }

  @Override
  public void set(String key, String value) {
    strings.set(key, value);
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
    return lists.rpush(key, value);
  }

  @Override
  public List<String> list(String key) {
    return lists.lrange(key, 0, -1);
  }

  @Override
  public void close() {
    connection.close();
  }
}

import java.util.List;
import org.redisson.Redisson;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson; its exchange is a script. */
final class RedissonClient implements Client {
  private final org.redisson.api.RedissonClient client;

  RedissonClient(String host, int port, String attempts) {
    var config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    var server = config.useSingleServer().setAddress("redis://" + host + ":" + port);
    if (attempts.equals("once")) server.setRetryAttempts(0);
    client = Redisson.create(config);
  }

  @Override
  public String get(String key) {
    return client.<String>getBucket(key).get();
  }

  @Override
  public void set(String key, String value) {
    client.<String>getBucket(key).set(value);
  }

  @Override
  public Swap swap(String key, String to) {
    var bucket = client.<String>getBucket(key);
    var from = bucket.get();
    return new Swap(from, bucket.compareAndSet(from, to));
  }

  @Override
  public long append(String key, String value) {
    return client.<String>getDeque(key).addLast(new String[] {value});
  }

  @Override
  public List<String> list(String key) {
    return client.<String>getList(key).readAll();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}

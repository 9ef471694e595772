import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Plays one client of a database with a library of the JVM, as recorder.ts does with libraries of Node.js.
 *
 * <p>java Recorder jedis|lettuce|redisson HOST PORT CLIENT [default|several|once|cluster]
 */
public final class Recorder {
  private static final long SLICE_NS = 4_000_000_000L;
  private static final int REGISTERS = 3;
  private static volatile boolean isOver = false;

  private final String name;
  private final Client client;

  private interface Operation {
    /** Says what was done. */
    String run() throws Exception;
  }

  private Recorder(String name, Client client) {
    this.name = name;
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    var port = Integer.parseInt(args[2]);
    var attempts = args.length > 4 ? args[4] : "several";
    var client =
        switch (args[0]) {
          case "jedis" -> new JedisClient(args[1], port, attempts);
          case "lettuce" -> new LettuceClient(args[1], port, attempts);
          case "redisson" -> new RedissonClient(args[1], port, attempts);
          default -> throw new IllegalArgumentException("unknown library " + args[0]);
        };
    var recorder = new Recorder(args[3], client);
    var reader = new Thread(Recorder::awaitEnd);
    reader.setDaemon(true);
    reader.start();
    for (long number = 0; !isOver; number++) recorder.operate(number);
    client.close();
    System.exit(0); // threads of a library may go on
  }

  private static void awaitEnd() {
    try {
      System.in.readAllBytes();
    } catch (IOException error) {
      System.err.println("standard input: " + error);
    }
    isOver = true;
  }

  private void operate(long number) {
    var random = ThreadLocalRandom.current();
    var slice = System.nanoTime() / SLICE_NS;
    var register = "register-%d-%d".formatted(random.nextInt(REGISTERS), slice);
    var list = "list-" + slice;
    var value = name + "-" + number;
    var dice = random.nextDouble();
    if (dice < 0.3) {
      record(register, null, () -> get(client.get(register)));
    } else if (dice < 0.55) {
      var act = "{\"kind\":\"set\",\"value\":%s}".formatted(quoted(value));
      record(register, act, () -> set(register, value, act));
    } else if (dice < 0.75) {
      var unknown = "{\"kind\":\"exchange\",\"to\":%s}".formatted(quoted(value));
      record(register, unknown, () -> swap(register, value));
    } else if (dice < 0.93) {
      var act = "{\"kind\":\"append\",\"value\":%s%%s}".formatted(quoted(value));
      record(list, act.formatted(""), () -> act.formatted(",\"length\":" + client.append(list, value)));
    } else {
      record(list, null, () -> readList(list));
    }
  }

  private String set(String key, String value, String act) throws Exception {
    client.set(key, value);
    return act;
  }

  private String swap(String key, String to) throws Exception {
    var swap = client.swap(key, to);
    if (!swap.isSet()) return get(swap.from());
    return "{\"kind\":\"compare-and-set\",\"from\":%s,\"to\":%s}".formatted(quoted(swap.from()), quoted(to));
  }

  private String readList(String key) throws Exception {
    var values = client.list(key).stream().map(Recorder::quoted).collect(Collectors.joining(","));
    return "{\"kind\":\"read-list\",\"values\":[%s]}".formatted(values);
  }

  /** Prints what was done; after an error, what may have been done. */
  private void record(String key, String unknown, Operation operation) {
    var begin = System.nanoTime(); // the steady clock that all processes of the machine share
    try {
      var act = operation.run();
      print(key, begin, ",\"end\":" + System.nanoTime(), act);
    } catch (Exception error) {
      System.err.println(name + ": " + error);
      if (unknown != null) print(key, begin, "", unknown);
    }
  }

  private void print(String key, long begin, String end, String act) {
    System.out.printf("{\"client\":\"%s\",\"key\":\"%s\",\"begin\":%d%s,\"act\":%s}%n", name, key, begin, end, act);
    System.out.flush();
  }

  private static String get(String value) {
    return "{\"kind\":\"get\",\"value\":%s}".formatted(quoted(value));
  }

  private static String quoted(String value) {
    return value == null ? "null" : '"' + value + '"';
  }
}

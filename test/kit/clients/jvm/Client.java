import java.util.List;

/** What a recorder asks of a library. */
interface Client extends AutoCloseable {
  String get(String key) throws Exception;

  void set(String key, String value) throws Exception;

  /** Sets the key to `to`, unless it changes after it was read. */
  Swap swap(String key, String to) throws Exception;

  long append(String key, String value) throws Exception;

  List<String> list(String key) throws Exception;

  /** What was read, and whether the key was set. */
  record Swap(String from, boolean isSet) {}
}

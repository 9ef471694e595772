/* A module for tests: a data type "tally" with TALLY.ADD key number and TALLY.GET key. No header is needed: the first word of
   the context is the function that hands out the rest of the engine's API by name. Built with -DVERSION=<number>. */
#include <stdlib.h>

typedef struct Context Context;
typedef struct String String;
typedef struct Key Key;
typedef struct Stream Stream;
typedef struct Type Type;
typedef int Command(Context *, String **, int);

typedef struct {
  unsigned long long version;
  void *(*load)(Stream *, int);
  void (*save)(Stream *, void *);
  void (*rewrite)(Stream *, String *, void *);
  void *unused_at_first[2];
  void (*release)(void *);
  void *unused[16];
} Methods;

static int (*setAttributes)(Context *, const char *, int, int);
static int (*createCommand)(Context *, const char *, Command, const char *, int, int, int);
static Type *(*createType)(Context *, const char *, int, Methods *);
static Key *(*openKey)(Context *, String *, int);
static void (*closeKey)(Key *);
static int (*keyType)(Key *);
static Type *(*typeOf)(Key *);
static void *(*valueOf)(Key *);
static int (*setValue)(Key *, Type *, void *);
static int (*toNumber)(String *, long long *);
static int (*replyNumber)(Context *, long long);
static int (*replyError)(Context *, const char *);
static int (*wrongArity)(Context *);
static int (*replicate)(Context *);
static void (*saveNumber)(Stream *, long long);
static long long (*loadNumber)(Stream *);
static void (*emit)(Stream *, const char *, const char *, ...);

static Type *tally;

static long long *newTally(long long number) {
  long long *value = malloc(sizeof *value);
  *value = number;
  return value;
}

static void *load(Stream *from, int encoding) {
  (void)encoding;
  return newTally(loadNumber(from));
}

static void save(Stream *to, void *value) { saveNumber(to, *(long long *)value); }

static void rewrite(Stream *to, String *key, void *value) { emit(to, "TALLY.ADD", "sl", key, *(long long *)value); }

static int add(Context *context, String **words, int count) {
  long long number;
  if (count != 3) return wrongArity(context);
  if (toNumber(words[2], &number) != 0) return replyError(context, "ERR the second argument is no number");
  Key *key = openKey(context, words[1], 3);
  int isEmpty = keyType(key) == 0;
  if (!isEmpty && typeOf(key) != tally) {
    closeKey(key);
    return replyError(context, "WRONGTYPE the key holds no tally");
  }
  if (isEmpty) setValue(key, tally, newTally(0));
  long long *value = valueOf(key);
  *value += number;
  replicate(context);
  replyNumber(context, *value);
  closeKey(key);
  return 0;
}

static int get(Context *context, String **words, int count) {
  if (count != 2) return wrongArity(context);
  Key *key = openKey(context, words[1], 1);
  long long number = key != NULL && typeOf(key) == tally ? *(long long *)valueOf(key) : 0;
  if (key != NULL) closeKey(key);
  return replyNumber(context, number);
}

#define FIND(name, function) lookUp("RedisModule_" name, (void **)&function)

int RedisModule_OnLoad(Context *context) {
  int (*lookUp)(const char *, void **) = *(int (**)(const char *, void **))context;
  FIND("SetModuleAttribs", setAttributes);
  FIND("CreateCommand", createCommand);
  FIND("CreateDataType", createType);
  FIND("OpenKey", openKey);
  FIND("CloseKey", closeKey);
  FIND("KeyType", keyType);
  FIND("ModuleTypeGetType", typeOf);
  FIND("ModuleTypeGetValue", valueOf);
  FIND("ModuleTypeSetValue", setValue);
  FIND("StringToLongLong", toNumber);
  FIND("ReplyWithLongLong", replyNumber);
  FIND("ReplyWithError", replyError);
  FIND("WrongArity", wrongArity);
  FIND("ReplicateVerbatim", replicate);
  FIND("SaveSigned", saveNumber);
  FIND("LoadSigned", loadNumber);
  FIND("EmitAOF", emit);
  setAttributes(context, "tally", VERSION, 1);
  static Methods methods = {.version = 1, .load = load, .save = save, .rewrite = rewrite, .release = free};
  tally = createType(context, "tally-tst", 0, &methods);
  if (tally == NULL) return 1;
  if (createCommand(context, "tally.add", add, "write deny-oom", 1, 1, 1) != 0) return 1;
  return createCommand(context, "tally.get", get, "readonly", 1, 1, 1);
}

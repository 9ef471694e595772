/**
 * How engines document the arguments of the commands whose options the product must find, behind their names; where engines differ, each
 * form. `node scripts/generate-syntax.ts` writes this file from the COMMAND DOCS of the engines.
 */
export const COMMAND_SYNTAX: Readonly<Record<string, readonly string[]>> = {
  AUTH: ["[username] password"],
  BLMOVE: ["source destination (LEFT|RIGHT) (LEFT|RIGHT) timeout"],
  BLMPOP: ["timeout numkeys key... (LEFT|RIGHT) [COUNT count]"],
  BLPOP: ["key... timeout"],
  BRPOP: ["key... timeout"],
  BRPOPLPUSH: ["source destination timeout"],
  BZMPOP: ["timeout numkeys key... (MIN|MAX) [COUNT count]"],
  BZPOPMAX: ["key... timeout"],
  BZPOPMIN: ["key... timeout"],
  "CLIENT|TRACKING": ["(ON|OFF) [REDIRECT client-id] [PREFIX prefix]... [BCAST] [OPTIN] [OPTOUT] [NOLOOP]"],
  COPY: ["source destination [DB destination-db] [REPLACE]"],
  GEORADIUS: [
    "key longitude latitude radius (M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [(COUNT count) [ANY]] [ASC|DESC] [STORE storekey] [STOREDIST storedistkey]",
    "key longitude latitude radius (M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [(COUNT count) [ANY]] [ASC|DESC] [(STORE storekey)|(STOREDIST storedistkey)]",
  ],
  GEORADIUSBYMEMBER: [
    "key member radius (M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [(COUNT count) [ANY]] [ASC|DESC] [STORE storekey] [STOREDIST storedistkey]",
    "key member radius (M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [(COUNT count) [ANY]] [ASC|DESC] [(STORE storekey)|(STOREDIST storedistkey)]",
  ],
  HELLO: ["[protover [AUTH username password] [SETNAME clientname]]"],
  SET: [
    "key value [NX|XX] [GET] [(EX seconds)|(PX milliseconds)|(EXAT unix-time-seconds)|(PXAT unix-time-milliseconds)|KEEPTTL]",
    "key value [NX|XX|(IFEQ comparison-value)] [GET] [(EX seconds)|(PX milliseconds)|(EXAT unix-time-seconds)|(PXAT unix-time-milliseconds)|KEEPTTL]",
  ],
  SORT: [
    "key [BY pattern] [LIMIT offset count] [GET pattern]... [ASC|DESC] [ALPHA] [STORE destination]",
    "key [BY by-pattern] [LIMIT offset count] [GET get-pattern]... [ASC|DESC] [ALPHA] [STORE destination]",
  ],
  SORT_RO: [
    "key [BY pattern] [LIMIT offset count] [GET pattern]... [ASC|DESC] [ALPHA]",
    "key [BY by-pattern] [LIMIT offset count] [GET get-pattern]... [ASC|DESC] [ALPHA]",
  ],
  VADD: [
    "key [REDUCE dim] (FP32 vector|VALUES num element-values...) element [CAS] [(NOQUANT|Q8|BIN)] [EF effort] [SETATTR attributes] [M links]",
  ],
  WAIT: ["numreplicas timeout"],
  WAITAOF: ["numlocal numreplicas timeout"],
  XREAD: ["[COUNT count] [BLOCK milliseconds] (STREAMS key... id...)"],
  XREADGROUP: ["(GROUP group consumer) [COUNT count] [BLOCK milliseconds] [NOACK] (STREAMS key... id...)"],
  ZADD: ["key [NX|XX] [GT|LT] [CH] [INCR] (score member)..."],
};

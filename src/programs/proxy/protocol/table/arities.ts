/**
 * With how many words engines take the commands that the proxy answers in their place; negative: so many at least.
 * `node scripts/generate-syntax.ts` writes this file.
 */
export const ARITIES: Readonly<Record<string, number>> = {
  "ACL|WHOAMI": 2,
  AUTH: -2,
  "CLIENT|GETNAME": 2,
  "CLIENT|ID": 2,
  "CLIENT|INFO": 2,
  "CLIENT|KILL": -3,
  "CLIENT|LIST": -2,
  "CLIENT|NO-EVICT": 3,
  "CLIENT|PAUSE": -3,
  "CLIENT|REPLY": 3,
  "CLIENT|SETINFO": 4,
  "CLIENT|SETNAME": 3,
  "CLIENT|UNBLOCK": -3,
  "CLIENT|UNPAUSE": 2,
  "CONFIG|GET": -3,
  "CONFIG|SET": -4,
  "FUNCTION|KILL": 2,
  HELLO: -1,
  QUIT: -1,
  RESET: 1,
  "SCRIPT|KILL": 2,
  SELECT: 2,
};

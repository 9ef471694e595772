import type { Session } from "../session/session.ts";
import { after } from "../timing/timer.ts";

/** Dials a pin for a session that has none; the session is pumped when it is there, and then finds it idle. */
export function dialPinFor(session: Session): void {
  const { upstream, clock } = session.host;
  if (upstream === undefined) return;
  session.waiting = true;
  const go = (): void => {
    session.waiting = false;
    session.settled();
    session.pump();
  };
  upstream.dialPin(session.identity.place).then(
    (pin) => {
      if (session.state === "closed") pin.destroy();
      else upstream.returnPin(pin);
      go();
    },
    () => {
      // the engine cannot be reached; the session asks again, until the endpoint gives up
      after(clock, RETRY_MS, go);
    },
  );
}

const RETRY_MS = 50;

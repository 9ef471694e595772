import type { Company } from "./company.ts";
import { CACHING } from "./kinds/caching.ts";
import { COUNTING } from "./kinds/counting.ts";
import { FEEDING } from "./kinds/feeding.ts";
import { LISTENING } from "./kinds/listening.ts";

/** Every kind of company. */
export const COMPANIES: readonly Company[] = [COUNTING, FEEDING, LISTENING, CACHING];

import type { Company } from "../company.ts";
import { CACHING } from "./caching.ts";
import { COUNTING } from "./counting.ts";
import { FEEDING } from "./feeding.ts";
import { LISTENING } from "./listening.ts";

/** Every kind of company. */
export const COMPANIES: readonly Company[] = [COUNTING, FEEDING, LISTENING, CACHING];

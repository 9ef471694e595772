import { z } from "zod";

/** The OpenAPI document itself. */
export const OPENAPI = z.looseObject({ openapi: z.literal("3.1.0") });

/** The JSON schema of an object. */
export const JSON_SCHEMA = z.record(z.string(), z.unknown());

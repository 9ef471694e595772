import { isIP } from "node:net";

const INT32_MAX = 2 ** 31 - 1;

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": isDateTime,
  datetime: isDateTime,
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: isCidr,
  uri: (text) => URL.canParse(text),
  email: (text) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text),
  hostname: (text) => text.length <= 255 && text.split(".").every((label) => /^[a-zA-Z0-9-]{1,63}$/.test(label)),
  mac: (text) => /^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  duration: (text) => /^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w))+$|^0$/.test(text),
};

/** True unless `text` breaks the rules of `format`; a format that the API does not know is only a remark. */
export function matchesFormat(format: string, text: string): boolean {
  return CHECKS[format]?.(text) ?? true;
}

/** True unless the number is outside what the integer format can hold. */
export function fitsIntegerFormat(format: string, value: number): boolean {
  if (format === "int32") return value >= -INT32_MAX - 1 && value <= INT32_MAX;
  return format !== "int64" || Math.abs(value) <= 2 ** 63;
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

function isCidr(text: string): boolean {
  const [address = "", bits = ""] = text.split("/");
  const family = isIP(address);
  return family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

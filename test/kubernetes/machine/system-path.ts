/** PATH with the folders of the administrator's commands, which some shells leave out. */
export const SYSTEM_PATH = [process.env["PATH"] ?? "", "/usr/local/sbin", "/usr/sbin", "/sbin"].join(":");

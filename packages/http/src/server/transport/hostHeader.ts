/** An address and maybe a port, as `Host` names them (RFC 9110, section 7.2), without a comma: that is two headers. */
const host = /^(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*(?::\d*)?$|^\[[\da-f:.]+(?:%25[\w.~-]+)?\](?::\d*)?$/i

/** Whether a `Host` header is well formed; empty where the target has no authority. */
export const isHostHeader = (value: string): boolean => host.test(value)

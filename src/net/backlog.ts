/**
 * How many connections may wait until the process accepts them. Node's default is 511. If more clients connect at once,
 * Linux drops their packets: they wait for seconds, and some connections are reset. The system lowers this to its
 * own limit.
 */
export const backlog = 4096

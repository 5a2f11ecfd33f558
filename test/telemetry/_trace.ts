/** The ids of a `traceparent`, and the header of a request. */
export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
export const spanId = '00f067aa0ba902b7'
export const traceparent: string = `00-${traceId}-${spanId}-01`

/** What tracers keep beside it. */
export const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'

/** Another one. */
export const otherId = '0af7651916cd43dd8448eb211c80319c'
export const otherTraceparent: string = `00-${otherId}-b7ad6b7169203331-01`

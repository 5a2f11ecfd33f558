/**
 * A type in which every member is required, even optional ones. Views and new records return it, so that the compiler
 * reports every place that has to consider a new member; `undefined` leaves an optional one out.
 */
export type Complete<T> = { [Name in keyof Required<T>]: T[Name] }

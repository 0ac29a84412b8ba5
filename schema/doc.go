// Package schema checks JSON values that a model sent against the JSON Schema
// that it was shown.
//
// Compile accepts the keywords of JSON Schema 2020-12 (or of the draft that
// $schema names, from draft-07 on) and refuses every keyword, format and
// reference that it could not enforce: a constraint that nobody checks would be
// a lie to the author. Nothing is ever loaded, neither files nor URLs; $ref
// points into the schema itself.
//
// Values are JSON text and stay JSON text. Numbers are compared exactly, so
// integers of any size survive. Depth is bounded by the 10000 levels of
// encoding/json; deep schemas cost no more than flat ones.
package schema

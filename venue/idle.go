package venue

// Idler is the ability of a pool to say why it takes nothing, in one of a few
// constant phrases; empty if it trades.
type Idler interface{ Idle() string }

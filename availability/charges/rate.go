package charges

// Rate is a percentage in ten-thousandths of a percent: 58750 is 5.875 %. Zero means none.
type Rate int

// MaxRate is 100 %.
const MaxRate Rate = 1_000_000

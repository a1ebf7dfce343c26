package lab

import "strconv"

// FormatCount writes a whole number for a person, with commas between its
// thousands: "1,234,567".
func FormatCount(n int64) string {
	digits := strconv.FormatInt(n, 10)
	if n < 0 {
		return "-" + GroupDigits(digits[1:])
	}
	return GroupDigits(digits)
}

// GroupDigits puts commas between the thousands of a row of digits.
func GroupDigits(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

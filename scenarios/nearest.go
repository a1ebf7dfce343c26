package scenarios

import "slices"

// Nearest is the name that a person who typed an unknown one most likely meant:
// the one whose beginning takes the fewest letters put in, left out or changed.
// It is empty where that would be half of the letters or more.
func Nearest(typed string) string {
	best, fewest := "", (len(typed)+1)/2
	for _, s := range all() {
		if n := distanceToBeginning(typed, s.Name); n < fewest {
			best, fewest = s.Name, n
		}
	}
	return best
}

// distanceToBeginning is the least Levenshtein distance of a short text to any
// beginning of another, in bytes.
func distanceToBeginning(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return slices.Min(row)
}

package pyrandom_test

import (
	"slices"
	"testing"

	"github.com/burstlab/burstlab/lab/traffic/pyrandom"
)

// numbers holds what CPython 3.11 gives, drawn in this order from one generator.
type numbers struct {
	seed    int64
	randoms []float64
	bits    []uint64 // getrandbits(1), (8), (31), (32), (33), (64)
	gaps    []int64  // randrange(1, 500)
	choices []int    // choice of 9
	wide    int64    // randrange(-5, 2**40)
	one     int64    // randrange(1, 2)
	all     int64    // randrange(-2**63, 2**63 - 1)
}

var python = []numbers{
	{0, []float64{0.8444218515250481, 0.7579544029403025, 0.420571580830845}, []uint64{0, 247, 1097954097, 2087043557, 6034146168, 15308084094301570617}, []int64{156, 496, 245, 184, 299, 457}, []int{3, 8, 2, 4, 2, 1}, 325997320454, 1, 4239647546421054956},
	{1, []float64{0.13436424411240122, 0.8474337369372327, 0.763774618976614}, []uint64{0, 30, 1063938749, 3268308804, 1930549411, 7002664860023442459}, []int64{404, 108, 49, 250, 15, 458}, []int{6, 6, 0, 7, 4, 3}, 65787859342, 1, 2758639339503328953},
	{7, []float64{0.32383276483316237, 0.15084917392450192, 0.6509344730398537}, []uint64{0, 210, 1150797845, 404285457, 5865589240, 16781078052021535861}, []int64{260, 110, 20, 45, 223, 215}, []int{1, 3, 1, 8, 6, 0}, 137214365092, 1, 8785356068037452444},
	{-7, []float64{0.32383276483316237, 0.15084917392450192, 0.6509344730398537}, []uint64{0, 210, 1150797845, 404285457, 5865589240, 16781078052021535861}, []int64{260, 110, 20, 45, 223, 215}, []int{1, 3, 1, 8, 6, 0}, 137214365092, 1, 8785356068037452444},
	{1 << 32, []float64{0.11299430095636409, 0.41782886486292836, 0.0166763664992291}, []uint64{1, 224, 1730113792, 3274195809, 5718797025, 18349438830298068874}, []int64{232, 8, 71, 39, 420, 482}, []int{6, 8, 5, 5, 6, 7}, 1017595391068, 1, 7372675838405814065},
	{1<<62 + 11, []float64{0.5159655731072945, 0.12954699551909588, 0.34922111578366555}, []uint64{0, 69, 394145795, 749042092, 852390578, 5669345382815447225}, []int64{388, 94, 63, 417, 123, 395}, []int{4, 5, 6, 8, 8, 5}, 201545722220, 1, -3380846552142248809},
	{-1 << 63, []float64{0.5534639983914199, 0.9406144709090462, 0.24199432111690833}, []uint64{1, 128, 182011546, 1533690558, 3238522420, 5630538458898233713}, []int64{235, 334, 343, 494, 98, 125}, []int{0, 1, 5, 8, 2, 2}, 800592855873, 1, 7181851100786015365},
}

func draw[T any](n int, next func() T) []T {
	drawn := make([]T, n)
	for i := range drawn {
		drawn[i] = next()
	}
	return drawn
}

func TestNumbersAreCPythons(t *testing.T) {
	for _, want := range python {
		r := pyrandom.New(want.seed)
		if got := draw(len(want.randoms), r.Random); !slices.Equal(got, want.randoms) {
			t.Errorf("seed %d: random() gives %v, want %v", want.seed, got, want.randoms)
		}
		var got []uint64
		for _, k := range []int{1, 8, 31, 32, 33, 64} {
			got = append(got, r.Getrandbits(k))
		}
		if !slices.Equal(got, want.bits) {
			t.Errorf("seed %d: getrandbits gives %v, want %v", want.seed, got, want.bits)
		}
		if got := draw(len(want.gaps), func() int64 { return r.Randrange(1, 500) }); !slices.Equal(got, want.gaps) {
			t.Errorf("seed %d: randrange(1, 500) gives %v, want %v", want.seed, got, want.gaps)
		}
		if got := draw(len(want.choices), func() int { return r.Choice(9) }); !slices.Equal(got, want.choices) {
			t.Errorf("seed %d: choice gives %v, want %v", want.seed, got, want.choices)
		}
		if got := r.Randrange(-5, 1<<40); got != want.wide {
			t.Errorf("seed %d: randrange(-5, 2**40) gives %d, want %d", want.seed, got, want.wide)
		}
		if got := r.Randrange(1, 2); got != want.one {
			t.Errorf("seed %d: randrange(1, 2) gives %d, want %d", want.seed, got, want.one)
		}
		if got := r.Randrange(-1<<63, 1<<63-1); got != want.all {
			t.Errorf("seed %d: randrange(-2**63, 2**63 - 1) gives %d, want %d", want.seed, got, want.all)
		}
	}
}

func TestFarOutNumbersAreCPythons(t *testing.T) {
	r := pyrandom.New(42)
	for range 99_999 {
		r.Getrandbits(32)
	}
	if got, want := r.Getrandbits(32), uint64(124003426); got != want {
		t.Errorf("the 100,000th word is %d, want %d", got, want)
	}
}

func TestEmptyRangesPanic(t *testing.T) {
	for name, call := range map[string]func(*pyrandom.Random){
		"randrange(3, 3)": func(r *pyrandom.Random) { r.Randrange(3, 3) },
		"choice([])":      func(r *pyrandom.Random) { r.Choice(0) },
		"getrandbits(0)":  func(r *pyrandom.Random) { r.Getrandbits(0) },
		"getrandbits(65)": func(r *pyrandom.Random) { r.Getrandbits(65) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it gave a number; expected a panic")
				}
			}()
			call(pyrandom.New(1))
		})
	}
}

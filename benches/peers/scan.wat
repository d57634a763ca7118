;; The least that an exact scan of one byte a component can cost: four rows interleaved in pieces of 16 bytes, summed with
;; SIMD. `scan` reads `rows` (a multiple of 4) of `width` (a multiple of 16) components at 65536 against the levels at 0.
(module
  (memory (export "memory") 1)
  (func (export "scan") (param $rows i32) (param $width i32) (result i32)
    (local $at i32) (local $end i32) (local $level i32) (local $last i32) (local $most i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $first v128) (local $second v128)
    (local.set $at (i32.const 65536))
    (local.set $end (i32.add (i32.const 65536) (i32.mul (local.get $rows) (local.get $width))))
    (local.set $last (i32.shl (local.get $width) (i32.const 1)))
    (loop $block
      (local.set $a (v128.const i32x4 0 0 0 0)) (local.set $b (local.get $a))
      (local.set $c (local.get $a)) (local.set $d (local.get $a))
      (local.set $level (i32.const 0))
      (loop $piece
        (local.set $first (v128.load (local.get $level)))
        (local.set $second (v128.load offset=16 (local.get $level)))
        (local.set $a (i32x4.add (local.get $a) (i32x4.add
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (v128.load (local.get $at))) (local.get $first))
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (v128.load (local.get $at))) (local.get $second)))))
        (local.set $b (i32x4.add (local.get $b) (i32x4.add
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (v128.load offset=16 (local.get $at))) (local.get $first))
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (v128.load offset=16 (local.get $at))) (local.get $second)))))
        (local.set $c (i32x4.add (local.get $c) (i32x4.add
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (v128.load offset=32 (local.get $at))) (local.get $first))
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (v128.load offset=32 (local.get $at))) (local.get $second)))))
        (local.set $d (i32x4.add (local.get $d) (i32x4.add
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (v128.load offset=48 (local.get $at))) (local.get $first))
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (v128.load offset=48 (local.get $at))) (local.get $second)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $piece (i32.lt_u (local.tee $level (i32.add (local.get $level) (i32.const 32))) (local.get $last))))
      (local.set $a (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (i32x4.add (local.get $c) (local.get $d))))
      (local.set $most (i32.xor (local.get $most) (i32x4.extract_lane 0 (local.get $a))))
      (br_if $block (i32.lt_u (local.get $at) (local.get $end))))
    (local.get $most)))

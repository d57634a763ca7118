import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holds, holdsAll, normal } from './text.mjs';

const within = (text, needle) => holds(normal(text), needle);

test('white_space_is_removed_except_between_digits', () => {
  assert.equal(normal('예산은  9 150 만 원\n이다'), '예산은9 150만원이다');
});

test('only_thousands_commas_are_removed', () => {
  assert.equal(normal('EUR 9,265.00, 1,234,567 and 1,23'), 'eur9265.00,1234567and1,23');
});

test('full_width_digits_and_case_are_normalised', () => {
  assert.ok(within('ＳＫ－７０４１３', 'sk-70413'));
});

test('a_number_is_not_found_inside_a_number', () => {
  assert.ok(!within('로거 180대', '80'));
  assert.ok(!within('로거 800대', '80'));
  assert.ok(within('로거 80대', '80'));
  assert.ok(within('180 then 80', '80'));
});

test('a_number_beside_another_number_is_found', () => {
  assert.ok(within('2025 80', '80'));
});

test('a_needle_that_ends_with_a_letter_may_follow_a_digit', () => {
  assert.ok(within('4시', '시'));
  assert.ok(!within('14시', '4시'));
});

test('spacing_of_korean_does_not_matter', () => {
  assert.ok(within('4월 25일까지', '4월25일'));
});

test('lists_are_a_conjunction_of_alternatives', () => {
  const text = normal('pilot budget is 91.5M');
  assert.ok(
    holdsAll(text, [
      ['실증', 'pilot'],
      ['9,150만', '91.5M'],
    ]),
  );
  assert.ok(
    !holdsAll(text, [
      ['실증', 'pilot'],
      ['8,400만', '84M'],
    ]),
  );
  assert.ok(holdsAll(text, []));
});
